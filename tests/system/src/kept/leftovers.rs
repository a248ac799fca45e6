//! What the faults of an earlier release left behind, after the upgrade.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use testkit::until;

use super::KeptPractice;
use crate::customer::Customer;
use crate::practice::Practice;
use crate::reviews;
use crate::tokens::TokenIssuer;

const PAGE: &str = "booking.v1.PaymentPageService";

/// The ids of bookings, payments and refunds to which the faults happened: what they did stays.
pub async fn ids(practice: &Practice, kept: &KeptPractice) -> Result<Vec<String>> {
    let left = kept.leftovers();
    let mut payments = practice.database("payments").await?;
    let sql = "select refund_id::text from refunds where payment_id = any ($1)";
    let refunds: Vec<String> =
        sqlx::query_scalar(sql).bind(&left.payments).fetch_all(&mut payments).await?;
    let bare = refunds.iter().map(|id| id.replace('-', ""));
    Ok(bare.chain(refunds.clone()).chain(left.bookings).chain(left.payments).collect())
}

/// What is still under way about a fault goes on as it must.
pub async fn goes_on(practice: &Practice, fault: &Value) -> Result<()> {
    match text(fault, "kind")? {
        // The refund waits for the dispute's end, and is made once.
        "held_by_an_open_dispute" => {
            let body = json!({ "dispute_id": text(fault, "dispute")?, "state": "won" });
            practice.sandbox_post("/api/dispute-state", &body).await?;
            let client = Customer::signed_in(practice, text(fault, "email")?).await?;
            until("its money is back", async || {
                let booking = client.booking(text(fault, "booking")?).await?;
                Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
            })
            .await
        }
        "prepared_by_sign_up" => {
            stranger_has_no_way(practice, text(fault, "email")?).await?;
            owner_asks_for_a_code(practice, fault).await
        }
        // Its stranger and its owner had one browser, so nothing says that they are two.
        "prepared_by_change" => owner_asks_for_a_code(practice, fault).await,
        _ => Ok(()),
    }
}

/// The upgrade has closed what is older than the proof of the address.
async fn stranger_has_no_way(practice: &Practice, email: &str) -> Result<()> {
    let mut identity = practice.database("identity").await?;
    let ways: i64 = sqlx::query_scalar(
        "select (select count(*) from passkeys where user_id = u.user_id)
                + (select count(*) from factors where user_id = u.user_id)
                + (select count(*) from recovery_codes where user_id = u.user_id)
         from users u where u.email = $1",
    )
    .bind(email)
    .fetch_one(&mut identity)
    .await?;
    ensure!(ways == 0, "{ways} ways of a stranger are left");
    Ok(())
}

/// The owner of the address comes in by a mailed code.
async fn owner_asks_for_a_code(practice: &Practice, fault: &Value) -> Result<()> {
    let url = format!("{}/auth/v1/otp", practice.url);
    let body = json!({ "email": text(fault, "email")? });
    practice.http.post(url).json(&body).send().await?.error_for_status()?;
    Ok(())
}

/// The key of a page that was mailed before the upgrade still leads to its booking, one that waits
/// is agreed to, and one that an account has adopted has no page any more.
pub async fn page_goes_on(practice: &Practice, booking: &Value) -> Result<()> {
    let (key, id) = (text(booking, "page_key")?, text(booking, "booking")?);
    if text(booking, "kind")? == "adopted" {
        ensure!(page(practice, key).await.is_err(), "an adopted booking has a page");
        return Ok(());
    }
    let page = page(practice, key).await?;
    ensure!(page["bookingId"] == id, "the page of another booking: {page}");
    if text(booking, "kind")? != "waits" {
        return Ok(());
    }
    let issuer = TokenIssuer::of(practice).await?;
    let client = Customer::with_issued_token(practice, &issuer, "kept-caller")?;
    let consent = client.consent().await?;
    // Staff had seen the key before the upgrade: the code of a mail is needed now.
    call(practice, (PAGE, "RequestConsentCode"), json!({ "pageKey": key })).await?;
    let code = practice.consent_code(text(booking, "email")?).await?;
    let accept = json!({
        "pageKey": key, "termsAccepted": true, "consent": consent, "consentCode": code,
    });
    call(practice, (PAGE, "AcceptTerms"), accept).await?;
    // It is not paid: the provider has the machine's clock, by which a new link may be over.
    ensure!(
        self::page(practice, key).await?["termsAccepted"] == true,
        "the terms are not accepted"
    );
    Ok(())
}

async fn page(practice: &Practice, key: &str) -> Result<Value> {
    let read = call(practice, (PAGE, "GetPaymentPage"), json!({ "pageKey": key })).await?;
    Ok(read["page"].clone())
}

async fn call(practice: &Practice, call: (&str, &str), body: Value) -> Result<Value> {
    reviews::call(practice, call, &body, |it| it).await?.ok()
}

/// After the upgrade no payment gives back more than it brought, what a dispute took included. Of
/// the one to which that happened before, nothing more goes back.
///
/// # Errors
/// When one does.
pub async fn no_payment_gives_more_back(practice: &Practice, kept: &KeptPractice) -> Result<()> {
    let book = practice.book().await?;
    let mut out = BTreeMap::<&str, i64>::new();
    let mut add = |part: &'static str, amount: &str| {
        for entry in book[part].as_array().into_iter().flatten() {
            let counts = entry["status"] == "processed" || entry["status"] == "lost";
            if let Some(payment) = entry["payment_id"].as_str().filter(|_| counts) {
                *out.entry(payment).or_default() += entry[amount].as_i64().unwrap_or_default();
            }
        }
    };
    add("refunds", "amount");
    add("disputes", "amount_deducted");
    for fault in kept.list("faults") {
        let Some(payment) = fault["payment"].as_str() else { continue };
        let all = book["payments"].as_array().into_iter().flatten();
        let brought = all.filter(|it| it["id"] == payment).find_map(|it| it["amount"].as_i64());
        let brought = brought.with_context(|| format!("{payment} is not in the book"))?;
        let twice = fault["kind"] == "refunded_beside_a_lost_dispute";
        let most = if twice { 2 * brought } else { brought };
        let gone = out.get(payment).copied().unwrap_or_default();
        ensure!(gone <= most, "{fault}: {gone} of {brought} went back");
    }
    Ok(())
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    value[name].as_str().with_context(|| format!("no {name}"))
}
