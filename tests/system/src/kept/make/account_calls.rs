//! Calls about accounts, and the codes that are mailed for them.

use anyhow::{Context as _, Result};
use serde_json::Value;
use testkit::until;

use crate::practice::Practice;

/// The newest code that was mailed to an address.
pub(super) async fn code(practice: &Practice, email: &str) -> Result<String> {
    until("the code was mailed", async || {
        let mails = practice.inbox_of(email).await?;
        let said = mails.iter().filter_map(|mail| mail["text"].as_str());
        let mut words = said.flat_map(|said| said.split(|letter: char| !letter.is_ascii_digit()));
        Ok(words.find(|word| word.len() == 6).map(str::to_owned))
    })
    .await
}

pub(super) async fn put(
    practice: &Practice,
    path: &str,
    body: &Value,
    token: &str,
) -> Result<Value> {
    let request = practice.http.put(format!("{}/auth/v1/{path}", practice.url)).json(body);
    let answer = request.bearer_auth(token).send().await?.error_for_status();
    Ok(answer.context(path.to_owned())?.json().await?)
}

pub(super) async fn post(
    practice: &Practice,
    path: &str,
    body: &Value,
    token: Option<&str>,
) -> Result<Value> {
    let request = practice.http.post(format!("{}/auth/v1/{path}", practice.url)).json(body);
    let request = match token {
        Some(token) => request.bearer_auth(token),
        None => request,
    };
    let answer = request.send().await?.error_for_status().context(path.to_owned())?;
    Ok(answer.json().await.unwrap_or(Value::Null))
}
