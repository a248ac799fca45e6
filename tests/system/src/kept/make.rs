//! Makes the practice to be kept for a release: bookings, payments, mails and accounts in every
//! state, with the outcome that each must have, and what the faults of this release leave behind.

mod account_calls;
mod accounts;
mod bookings;
mod money;
mod phone;
mod strangers;

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::data;
use crate::forms;
use crate::practice::{Practice, RAISED_LIMITS};
use crate::reviews;
use crate::saga::{Plan, SagaRunner};

/// Makes a practice with the programs beside our own, and keeps it in this folder.
///
/// When a state cannot be reached.
pub async fn make(folder: &Path) -> Result<()> {
    let data_folder = Practice::new_folder();
    let mut confirming = RAISED_LIMITS.to_vec();
    confirming.push(("IDENTITY_CONFIRM_EMAIL", "true"));
    let mut first = Practice::spawn_in(data_folder.clone(), &confirming, Stdio::inherit())?;
    first.wait_until_ready().await?;
    let accounts = accounts::make(&first).await?;
    first.wait_until_idle().await?;
    first.stop();

    let mut practice = Practice::spawn_in(data_folder, &RAISED_LIMITS, Stdio::inherit())?;
    practice.wait_until_ready().await?;
    make_finished(&practice).await?;
    let mut faults = strangers::make(&practice).await?;
    faults.extend(money::make(&practice).await?);
    let phone = phone::make(&practice).await?;
    let open = bookings::make(&practice).await?;
    for part in data::SERVICES.into_iter().chain(["sandbox"]) {
        practice.signal(part, "STOP")?;
    }
    let mut database = practice.database("booking").await?;
    let taken = |clock: &str| {
        format!("select to_char({clock}() at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
    };
    let taken_at: String =
        sqlx::query_scalar(AssertSqlSafe(taken("clock_now"))).fetch_one(&mut database).await?;
    // Where a service asks the machine's clock instead.
    let machine_at: String = sqlx::query_scalar(AssertSqlSafe(taken("clock_timestamp")))
        .fetch_one(&mut database)
        .await?;
    data::save(&practice, folder)?;
    let acks: Vec<Value> = practice.recorder.acks().iter().filter_map(super::to_json).collect();
    let note = json!({
        "taken_at": taken_at, "machine_at": machine_at, "faults": faults, "phone": phone,
        "accounts": accounts, "open": open, "acks": acks,
        "repeats": practice.recorder.repeats(),
    });
    std::fs::write(folder.join("practice.json"), serde_json::to_vec_pretty(&note)?)?;
    for part in data::SERVICES.into_iter().chain(["sandbox"]) {
        practice.signal(part, "CONT")?;
    }
    Ok(())
}

/// Everything that has ended: bookings by every plan, reviews, forms, settled and unexplained
/// money.
async fn make_finished(practice: &Practice) -> Result<()> {
    let runner = SagaRunner::new(practice).await?;
    runner.run_all(&Plan::ALL).await?;
    reviews::review_lifecycle(practice).await?;
    reviews::submit_review(practice).await?;
    forms::submit_forms(practice).await?;
    forms::fail_a_mail(practice).await?;
    make_unexplained_payment(practice).await?;
    practice.sandbox_post("/api/adjustment", &json!({ "amount": -1_500 })).await?;
    practice.sandbox_post("/api/settle", &json!({})).await?;
    practice.advance_clocks(24 * 60).await?;
    practice.wait_until_idle().await
}

/// A paid order of the practice's provider account that belongs to no booking.
async fn make_unexplained_payment(practice: &Practice) -> Result<()> {
    let provider = practice.record()?["provider"].clone();
    let text = |name: &str| provider[name].as_str().unwrap_or_default().to_owned();
    let order = json!({ "amount": 77_700, "currency": "INR", "receipt": "by-hand" });
    let made = practice.http.post(format!("{}/v1/orders", practice.sandbox));
    let made = made.basic_auth(text("key_id"), Some(text("key_secret"))).json(&order);
    let made: Value = made.send().await?.error_for_status()?.json().await?;
    practice.pay(made["id"].as_str().context("no order")?).await?;
    Ok(())
}
