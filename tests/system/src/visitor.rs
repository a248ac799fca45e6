//! What an account goes through: made, signed in, refreshed, its password recovered over a mail.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::until_within;
use tokio::time::timeout;

use crate::customer::address;
use crate::practice::Practice;

/// How long a call is repeated; everything may be killed meanwhile.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long somebody goes on asking for codes; mails wait while their server is down.
const CODE_PATIENCE: Duration = Duration::from_secs(480);
/// How long one try to recover an account takes at most.
const TRY: Duration = Duration::from_secs(30);
/// How long to wait for a mail before another one is asked for.
const MAIL_PATIENCE: Duration = Duration::from_secs(10);

/// Makes an account, signs in and out, and recovers its password.
///
/// # Errors
/// When a step is refused for good.
pub async fn visit(practice: &Practice) -> Result<()> {
    let email = address("visitor");
    let password = "quiet river stones";
    let account = json!({ "email": email, "password": password, "data": {} });
    // An account that exists already was made by the call whose answer got lost.
    drop(post(practice, "signup", &account, None).await?);
    let credentials = json!({ "email": email, "password": password });
    let session = post(practice, "token?grant_type=password", &credentials, None).await?;
    let refresh = json!({ "refresh_token": text(&session, "refresh_token")? });
    let refreshed = post(practice, "token?grant_type=refresh_token", &refresh, None).await?;
    let token = text(&refreshed, "access_token").or_else(|_lost| text(&session, "access_token"))?;
    drop(post(practice, "logout", &json!({}), Some(&token)).await?);
    let mut tried = BTreeSet::new();
    let token = until_within(CODE_PATIENCE, "a mailed code is taken", async || {
        // A code lives for minutes, which must not pass in a moment while it is read and typed.
        // Where everything is down for longer than a try, the clocks go on before the next one.
        let _calm = practice.calm.read().await;
        let typed = recover(practice, &email, &mut tried);
        Ok(timeout(TRY, typed).await.ok().transpose()?.flatten())
    })
    .await?;
    drop(put(practice, "user", &json!({ "password": "another quiet river" }), &token).await?);
    Ok(())
}

/// Asks for a code and types it; nothing when it did not come, or was refused.
async fn recover(
    practice: &Practice,
    email: &str,
    tried: &mut BTreeSet<String>,
) -> Result<Option<String>> {
    drop(post(practice, "recover", &json!({ "email": email }), None).await?);
    let Ok(code) = code(practice, email, tried).await else { return Ok(None) };
    tried.insert(code.clone());
    let proof = json!({ "type": "recovery", "email": email, "token": code });
    let recovered = post(practice, "verify", &proof, None).await?;
    Ok(text(&recovered, "access_token").ok())
}

/// The six digits that were mailed last. One that was tried is not tried again: it was refused
/// because a newer one is on its way.
async fn code(practice: &Practice, email: &str, tried: &BTreeSet<String>) -> Result<String> {
    until_within(MAIL_PATIENCE, "the code was mailed", async || {
        let Ok(mails) = practice.inbox().await else { return Ok(None) };
        let mine = mails.iter().find(|mail| mail["to"][0] == email);
        let said = mine.and_then(|mail| mail["text"].as_str()).unwrap_or_default();
        let mut words = said.split(|letter: char| !letter.is_ascii_digit());
        let code = words.find(|word| word.len() == 6);
        Ok(code.filter(|code| !tried.contains(*code)).map(str::to_owned))
    })
    .await
}

fn text(answer: &Value, name: &str) -> Result<String> {
    Ok(answer[name].as_str().with_context(|| format!("no {name}"))?.to_owned())
}

async fn post(practice: &Practice, path: &str, body: &Value, token: Option<&str>) -> Result<Value> {
    let url = format!("{}/auth/v1/{path}", practice.url);
    let request = practice.http.post(url).json(body);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    send(request, path).await
}

async fn put(practice: &Practice, path: &str, body: &Value, token: &str) -> Result<Value> {
    let url = format!("{}/auth/v1/{path}", practice.url);
    send(practice.http.put(url).json(body).bearer_auth(token), path).await
}

/// Repeats a request until somebody answers, and gives the answer, whatever it is.
async fn send(request: reqwest::RequestBuilder, what: &str) -> Result<Value> {
    until_within(PATIENCE, &format!("{what} answers"), async || {
        let Some(request) = request.try_clone() else { return Ok(None) };
        let Ok(answer) = request.send().await else { return Ok(None) };
        if answer.status().is_server_error() || answer.status() == 429 {
            return Ok(None);
        }
        Ok(Some(answer.json().await.unwrap_or(Value::Null)))
    })
    .await
}
