//! The practice's owner, signed in as a person does it: by the password, and then by a code of the
//! authenticator app that `sukoon` has set up.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::practice::Practice;
use crate::staff_command::command;

/// How long a token is used again: some calls of staff ask for a second factor of the last five
/// minutes.
const REUSED: Duration = Duration::from_secs(120);

/// The owner's access token, if identity answers. A release without a second step for its owner
/// gives one of the password alone.
///
/// # Errors
/// When this data folder has no owner.
pub async fn sign_in(practice: &Practice) -> Result<Option<String>> {
    let mut known = practice.owner_token.lock().await;
    if let Some((token, since)) = &*known
        && since.elapsed() < REUSED
        && ask(practice, "user", None, Some(token)).await.is_some()
    {
        return Ok(Some(token.clone()));
    }
    let (email, password) = practice.owner()?;
    let credentials = json!({ "email": email, "password": password });
    let session = ask(practice, "token?grant_type=password", Some(&credentials), None).await;
    let Some(session) = session else { return Ok(None) };
    let session = match session["user"]["factors"][0]["id"].as_str() {
        Some(app) => second_step(practice, &session, app).await?,
        None => Some(session),
    };
    let token = session.and_then(|it| it["access_token"].as_str().map(str::to_owned));
    *known = token.clone().map(|token| (token, Instant::now()));
    Ok(token)
}

async fn second_step(practice: &Practice, session: &Value, app: &str) -> Result<Option<Value>> {
    let told = command(practice)?.args(["owner", "code"]).output().await?;
    let code = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    let token = session["access_token"].as_str();
    let factor = format!("factors/{app}");
    let challenge = ask(practice, &format!("{factor}/challenge"), Some(&json!({})), token).await;
    let Some(challenge) = challenge else { return Ok(None) };
    let answer = json!({ "challenge_id": challenge["id"], "code": code });
    Ok(ask(practice, &format!("{factor}/verify"), Some(&answer), token).await)
}

/// What identity answers, unless it refuses or is away.
async fn ask(
    practice: &Practice,
    path: &str,
    body: Option<&Value>,
    token: Option<&str>,
) -> Option<Value> {
    let url = format!("{}/auth/v1/{path}", practice.url);
    let mut request = match body {
        Some(body) => practice.http.post(url).json(body),
        None => practice.http.get(url),
    };
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let answer = request.send().await.ok()?;
    if answer.status() != 200 {
        return None;
    }
    answer.json().await.ok()
}
