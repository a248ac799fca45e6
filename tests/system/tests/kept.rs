//! Upgrades: every kept practice is started with today's programs, nothing acknowledged is lost,
//! and each open booking ends as expected. Once they are proved, `make test` takes the newest.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use system::kept::{KeptPractice, leftovers};
use system::practice::RAISED_LIMITS;
use system::{Customer, Practice, reviews};
use testkit::until;

const STAFF: &str = "booking.v1.BookingStaffService";

#[tokio::test(flavor = "multi_thread")]
async fn todays_programs_upgrade_every_kept_practice() -> Result<()> {
    let all = KeptPractice::all()?;
    ensure!(!all.is_empty(), "no practice was kept");
    for kept in testkit::proof::cases("kept", all.iter().rev()) {
        upgrade(kept).await.with_context(|| kept.commit())?;
    }
    Ok(())
}

async fn upgrade(kept: &KeptPractice) -> Result<()> {
    let practice = kept.start(&RAISED_LIMITS).await?;
    for account in kept.list("accounts") {
        account_is_as_it_was(&practice, account).await.with_context(|| account.to_string())?;
    }
    the_owner_keeps_password_and_role(&practice).await?;
    pictures_are_shown(&practice).await?;
    // Pending work is finished, and everything acknowledged is there.
    let known = leftovers::ids(&practice, kept).await?;
    practice.check_without(&known).await?;
    for booking in kept.list("open") {
        continue_booking(&practice, booking).await.with_context(|| booking.to_string())?;
    }
    for booking in kept.list("phone") {
        leftovers::page_goes_on(&practice, booking).await.with_context(|| booking.to_string())?;
    }
    for fault in kept.list("faults") {
        leftovers::goes_on(&practice, fault).await.with_context(|| fault.to_string())?;
    }
    practice.run_to_completion_without(&known).await?;
    leftovers::no_payment_gives_more_back(&practice, kept).await?;
    for booking in kept.list("open").filter(|booking| booking["then"] == "expired") {
        let client = Customer::signed_in(&practice, text(booking, "email")?).await?;
        client.wait_for_state(text(booking, "booking")?, "BOOKING_STATE_EXPIRED").await?;
    }
    practice.check_without(&known).await
}

/// Continues an open booking as far as possible while its hold lasts.
async fn continue_booking(practice: &Practice, booking: &Value) -> Result<()> {
    let client = Customer::signed_in(practice, text(booking, "email")?).await?;
    let id = text(booking, "booking")?;
    let placed = "BOOKING_STATE_MEETING_SCHEDULED";
    match text(booking, "then")? {
        "pay" => {
            let order = client.order(id).await?;
            client.open_checkout(id).await?;
            let paid = practice.pay(&order).await?;
            client.submit_checkout_answer(id, &paid).await?.ok()?;
            client.wait_for_state(id, placed).await.map(drop)
        }
        "pay_link" => {
            // By the provider's clock, which is the machine's, it may be over.
            let link = text(booking, "link")?;
            let body = json!({ "link_id": link, "method": "upi", "over": true });
            practice.sandbox_post("/api/pay", &body).await?;
            client.wait_for_state(id, placed).await.map(drop)
        }
        "placed" => {
            until("it is placed", async || {
                let state = client.booking(id).await?["state"].clone();
                let over = state == placed || state == "BOOKING_STATE_COMPLETED";
                Ok(over.then_some(()))
            })
            .await
        }
        "cancel" => {
            client.wait_for_state(id, placed).await?;
            let body = json!({
                "bookingId": id, "idempotencyKey": "today-cancels",
                "cancelledBy": "CANCELLED_BY_PRACTICE",
            });
            let token = owner(practice).await?;
            let dress = |it: reqwest::RequestBuilder| it.bearer_auth(&token);
            reviews::call(practice, (STAFF, "CancelBooking"), &body, dress).await?.ok()?;
            client.wait_for_state(id, "BOOKING_STATE_CANCELLED").await?;
            refunded(&client, id).await
        }
        "refunded" => refunded(&client, id).await,
        other => {
            ensure!(other == "expired", "{other} is no end of a kept booking");
            Ok(())
        }
    }
}

async fn refunded(client: &Customer<'_>, id: &str) -> Result<()> {
    until("its money is back", async || {
        let booking = client.booking(id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await
}

/// Accounts that could sign in still can, others still cannot, and a valid session stays valid.
async fn account_is_as_it_was(practice: &Practice, account: &Value) -> Result<()> {
    let email = text(account, "email")?;
    let state = text(account, "state")?;
    let may = state != "banned" && state != "unproved";
    // Some releases took the password that was chosen before the address was proved. To try one at
    // many accounts would look like guessing.
    if account["password"].as_bool().unwrap_or(true) {
        let signed_in = Customer::signed_in(practice, email).await;
        ensure!(signed_in.is_ok() == may, "{state}: {:?}", signed_in.err());
    }
    let Some(token) = account["refresh_token"].as_str() else { return Ok(()) };
    let url = format!("{}/auth/v1/token?grant_type=refresh_token", practice.url);
    let asked = practice.http.post(url).json(&json!({ "refresh_token": token })).send().await?;
    ensure!((asked.status() == 200) == may, "{state}: refreshing answers {}", asked.status());
    Ok(())
}

async fn owner(practice: &Practice) -> Result<String> {
    let (email, _password) = practice.owner()?;
    until(&format!("{email} is signed in"), async || reviews::sign_in(practice).await).await
}

async fn the_owner_keeps_password_and_role(practice: &Practice) -> Result<()> {
    let mut panel = reviews::Panel::open(practice).await?;
    panel.call("ListStaffReviews", &json!({})).await?.ok().map(drop)
}

/// Reviews are shown with the pictures that an earlier release made.
async fn pictures_are_shown(practice: &Practice) -> Result<()> {
    let call = (reviews::SERVICE, "ListReviews");
    let listed = reviews::call(practice, call, &json!({}), |it| it).await?.ok()?;
    let reviews = listed["reviews"].as_array().context("no reviews")?;
    let paths: Vec<&str> =
        reviews.iter().filter_map(|review| review["image"]["path"].as_str()).collect();
    ensure!(!paths.is_empty(), "no kept review has a picture: {listed}");
    for path in paths {
        reviews::fetch_picture(practice, path).await?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str> {
    value[name].as_str().with_context(|| format!("no {name}"))
}
