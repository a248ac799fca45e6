//! Accounts in every state: confirmed, unconfirmed, with a pending code, signed out, banned.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sqlx::Executor as _;
use testkit::until;

use crate::customer::PASSWORD;
use crate::practice::Practice;

/// Makes them while addresses have to be confirmed. Returns each account's `state`, and the
/// `refresh_token` of a valid session.
pub(super) async fn make(practice: &Practice) -> Result<Vec<Value>> {
    let mut accounts = Vec::new();
    for state in ["proved", "unproved", "forgetful", "left", "banned"] {
        let email = format!("kept.{state}@customers.example");
        let body = json!({
            "email": email, "password": PASSWORD,
            "data": { "firstName": "Kept", "lastName": "Canaryworth", "phone": "+919876543210" },
        });
        post(practice, "signup", &body, None).await?;
        let mut account = json!({ "email": email, "state": state });
        if state != "unproved" {
            let code = code(practice, &email).await?;
            let proof = json!({ "type": "signup", "email": email, "token": code });
            let session = post(practice, "verify", &proof, None).await?;
            let token = session["access_token"].as_str().context("no session")?;
            match state {
                "left" => drop(post(practice, "logout", &json!({}), Some(token)).await?),
                "forgetful" => {
                    post(practice, "recover", &json!({ "email": email }), None).await?;
                }
                _ => account["refresh_token"] = session["refresh_token"].clone(),
            }
        }
        accounts.push(account);
    }
    let mut database = practice.database("identity").await?;
    let ban = "update users set banned_until_at = clock_now() + interval '10 years'
               where email = 'kept.banned@customers.example'";
    ensure!(database.execute(ban).await?.rows_affected() == 1, "no account was banned");
    Ok(accounts)
}

async fn code(practice: &Practice, email: &str) -> Result<String> {
    until("the code was mailed", async || {
        let mails = practice.inbox_of(email).await?;
        let said = mails.first().and_then(|mail| mail["text"].as_str()).unwrap_or_default();
        let mut words = said.split(|letter: char| !letter.is_ascii_digit());
        Ok(words.find(|word| word.len() == 6).map(str::to_owned))
    })
    .await
}

async fn post(practice: &Practice, path: &str, body: &Value, token: Option<&str>) -> Result<Value> {
    let request = practice.http.post(format!("{}/auth/v1/{path}", practice.url)).json(body);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let answer = request.send().await?.error_for_status().context(path.to_owned())?;
    Ok(answer.json().await.unwrap_or(Value::Null))
}
