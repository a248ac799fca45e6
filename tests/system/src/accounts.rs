//! The lifecycle of an account: sign-up, sign-in, refresh, password recovery by mail.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use testkit::until_within;
use tokio::time::timeout;

use crate::customer::address;
use crate::practice::Practice;

/// How long a call is retried; every part may be killed in that time.
const TIMEOUT: Duration = Duration::from_secs(180);
/// How long codes are requested; mails wait while their server is down.
const CODE_TIMEOUT: Duration = Duration::from_secs(480);
/// The longest time of one attempt to recover an account.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait for a mail before another one is requested.
const MAIL_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes an account, signs in and out, and recovers its password.
///
/// # Errors
/// When a step is refused for good.
pub async fn account_lifecycle(practice: &Practice) -> Result<()> {
    let email = address("visitor");
    let password = "quiet river stones";
    let account = json!({ "email": email, "password": password, "data": {} });
    // An existing account was made by the call whose answer was lost.
    drop(post(practice, "signup", &account, None).await?);
    let credentials = json!({ "email": email, "password": password });
    let session = post(practice, "token?grant_type=password", &credentials, None).await?;
    let refresh = json!({ "refresh_token": text(&session, "refresh_token")? });
    let refreshed = post(practice, "token?grant_type=refresh_token", &refresh, None).await?;
    let token = text(&refreshed, "access_token").or_else(|_lost| text(&session, "access_token"))?;
    drop(post(practice, "logout", &json!({}), Some(&token)).await?);
    let (mut tried, mut last) = (BTreeSet::new(), "nothing was answered");
    let token = until_within(CODE_TIMEOUT, "a mailed code is taken", async || {
        // A code is valid for minutes, so the clocks do not move while it is read and typed. Where
        // everything is down for longer than an attempt, the clocks move before the next one.
        let _clocks = practice.clock_lock.read().await;
        let typed = recover(practice, &email, &mut tried);
        match timeout(ATTEMPT_TIMEOUT, typed).await.unwrap_or(Ok(Err("it took too long")))? {
            Ok(token) => return Ok(Some(token)),
            Err(why) => last = why,
        }
        Ok(None)
    })
    .await
    .with_context(|| format!("recovering an account; of the last try: {last}"))?;
    drop(put(practice, "user", &json!({ "password": "another quiet river" }), &token).await?);
    Ok(())
}

/// Requests a code and enters it; returns why it could not be used. When a code was requested a
/// moment ago, the inbox is read all the same: that mail may be late.
async fn recover(
    practice: &Practice,
    email: &str,
    tried: &mut BTreeSet<String>,
) -> Result<Result<String, &'static str>> {
    request_code(practice, email).await?;
    let Ok(code) = code(practice, email, tried).await else { return Ok(Err("no new code came")) };
    tried.insert(code.clone());
    let proof = json!({ "type": "recovery", "email": email, "token": code });
    let recovered = post(practice, "verify", &proof, None).await?;
    Ok(text(&recovered, "access_token").map_err(|_refused| "the code was refused"))
}

/// The digits of the newest mail. A code that was tried is skipped: it was refused because a
/// newer one is on its way.
async fn code(practice: &Practice, email: &str, tried: &BTreeSet<String>) -> Result<String> {
    until_within(MAIL_TIMEOUT, "the code was mailed", async || {
        let Ok(mails) = practice.inbox_of(email).await else { return Ok(None) };
        let said = mails.first().and_then(|mail| mail["text"].as_str()).unwrap_or_default();
        let mut words = said.split(|letter: char| !letter.is_ascii_digit());
        let code = words.find(|word| matches!(word.len(), 6 | 8));
        Ok(code.filter(|code| !tried.contains(*code)).map(str::to_owned))
    })
    .await
}

/// Makes an account.
///
/// When there is no answer for minutes.
pub async fn sign_up(practice: &Practice, email: &str, password: &str) -> Result<()> {
    let account = json!({ "email": email, "password": password, "data": {} });
    drop(post(practice, "signup", &account, None).await?);
    Ok(())
}

/// Makes an account and requests a recovery code.
///
/// When there is no answer for minutes.
pub async fn sign_up_and_request_code(practice: &Practice, email: &str) -> Result<()> {
    sign_up(practice, email, "quiet river stones").await?;
    request_code(practice, email).await
}

/// Requests a code. "Too early for another one" counts as an answer.
///
/// When there is no answer for minutes.
pub async fn request_code(practice: &Practice, email: &str) -> Result<()> {
    let url = format!("{}/auth/v1/recover", practice.url);
    until_within(TIMEOUT, "recover answers", async || {
        let request = practice.http.post(&url).json(&json!({ "email": email }));
        let answered = request.send().await;
        Ok(answered.ok().filter(|answer| !answer.status().is_server_error()).map(|_answer| ()))
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

/// Retries a request until there is an answer, and returns it, an error as well.
async fn send(request: reqwest::RequestBuilder, what: &str) -> Result<Value> {
    until_within(TIMEOUT, &format!("{what} answers"), async || {
        let Some(request) = request.try_clone() else { return Ok(None) };
        let Ok(answer) = request.send().await else { return Ok(None) };
        if answer.status().is_server_error() || answer.status() == 429 {
            return Ok(None);
        }
        Ok(Some(answer.json().await.unwrap_or(Value::Null)))
    })
    .await
}
