//! Makes the practice to be kept for a release: bookings, payments, mails and accounts in every
//! state, with the outcome that each must have.

mod accounts;
mod bookings;

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::data;
use crate::practice::{GENEROUS, Practice};
use crate::reviewer;
use crate::saga::{Plan, Stage};
use crate::writer;

/// Makes a practice with the programs beside our own, and keeps it in this folder.
///
/// When a state cannot be reached.
pub async fn make(folder: &Path) -> Result<()> {
    let place = Practice::new_folder();
    let mut proving = GENEROUS.to_vec();
    proving.push(("IDENTITY_CONFIRM_EMAIL", "true"));
    let mut first = Practice::spawn_in(place.clone(), &proving, Stdio::inherit())?;
    first.ready().await?;
    let accounts = accounts::make(&first).await?;
    first.quiet().await?;
    first.stop();

    let mut practice = Practice::spawn_in(place, &GENEROUS, Stdio::inherit())?;
    practice.ready().await?;
    past(&practice).await?;
    let open = bookings::make(&practice).await?;
    for part in data::SERVICES.into_iter().chain(["sandbox"]) {
        practice.signal(part, "STOP")?;
    }
    let mut database = practice.database("booking").await?;
    let taken_at: String = sqlx::query_scalar(
        "select to_char(clock_now() at time zone 'UTC', \
                            'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
    )
    .fetch_one(&mut database)
    .await?;
    data::keep(&practice, folder)?;
    let acks: Vec<Value> = practice.witness.acks().iter().filter_map(super::to_json).collect();
    let note = json!({
        "taken_at": taken_at, "accounts": accounts, "open": open, "acks": acks,
        "repeats": practice.witness.repeats(),
    });
    std::fs::write(folder.join("practice.json"), serde_json::to_vec_pretty(&note)?)?;
    for part in data::SERVICES.into_iter().chain(["sandbox"]) {
        practice.signal(part, "CONT")?;
    }
    Ok(())
}

/// Everything that has ended: bookings by every plan, reviews, forms, settled and unexplained
/// money.
async fn past(practice: &Practice) -> Result<()> {
    let stage = Stage::new(practice).await?;
    stage.play(&Plan::ALL).await?;
    reviewer::review(practice).await?;
    reviewer::written(practice).await?;
    writer::write(practice).await?;
    writer::mistype(practice).await?;
    money_that_nothing_explains(practice).await?;
    practice.sandbox_post("/api/adjustment", &json!({ "amount": -1_500 })).await?;
    practice.sandbox_post("/api/settle", &json!({})).await?;
    practice.advance_clocks(24 * 60).await?;
    practice.quiet().await
}

/// A paid order of the practice's provider account that belongs to no booking.
async fn money_that_nothing_explains(practice: &Practice) -> Result<()> {
    let provider = practice.record()?["provider"].clone();
    let text = |name: &str| provider[name].as_str().unwrap_or_default().to_owned();
    let order = json!({ "amount": 77_700, "currency": "INR", "receipt": "by-hand" });
    let made = practice.http.post(format!("{}/v1/orders", practice.sandbox));
    let made = made.basic_auth(text("key_id"), Some(text("key_secret"))).json(&order);
    let made: Value = made.send().await?.error_for_status()?.json().await?;
    practice.pay(made["id"].as_str().context("no order")?).await?;
    Ok(())
}
