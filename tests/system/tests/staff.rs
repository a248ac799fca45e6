//! The staff's commands against a whole practice: a day is listed, times are blocked and unblocked,
//! bookings cancelled, claims accepted, money refunded, parked events retried, and each action is
//! audited.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use anyhow::{Context as _, Result};
use kernel::Timestamp;
use serde_json::{Value, json};
use sqlx::Executor as _;
use system::practice::RAISED_LIMITS;
use system::staff_command::{run, sukoon};
use system::watch::alarm_mailed;
use system::{Customer, Practice};
use testkit::until;
use tokio::process::Command;

const SERVICE: &str = "general-consultation";

/// A free start that is days away, and its local date.
async fn free_start(customer: &Customer<'_>, place: usize) -> Result<(String, String)> {
    let all = customer.free_starts(SERVICE).await?;
    let from = all.len() / 2;
    let start = all.into_iter().nth(from + place).context("no free time")?;
    let local = start.parse::<Timestamp>()?.plus_minutes(330).to_string();
    Ok((start, local.get(..10).context("no date")?.to_owned()))
}

/// A paid and confirmed booking, and its local date.
async fn paid(practice: &Practice, customer: &Customer<'_>, key: &str) -> Result<(String, String)> {
    let (start, date) = free_start(customer, 0).await?;
    let id = customer.hold(SERVICE, &start, key).await?;
    let order = customer.order(&id).await?;
    customer.open_checkout(&id).await?;
    practice.pay(&order).await?;
    customer.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok((id, date))
}

/// Waits for a mail to a client whose subject begins like this.
async fn mailed(customer: &Customer<'_>, subject: &str) -> Result<Value> {
    until(&format!("{subject} was mailed"), async || {
        let begins =
            |mail: &Value| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject));
        Ok(customer.mails().await?.into_iter().find(begins))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn staff_commands_work() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let asha = Customer::new(&practice, "Asha").await?;
    customers_are_refused(&practice, &asha).await?;
    a_day_is_seen_and_a_taken_time_cannot_be_closed(&practice, &asha).await?;
    a_time_is_closed_and_opened_again(&practice, &asha).await?;
    a_booking_is_cancelled_and_its_money_goes_back(&practice, &asha).await?;
    a_claim_is_accepted(&practice, &asha).await?;
    a_part_is_given_back(&practice, &asha).await?;
    unexplained_money_is_listed(&practice).await?;
    a_dispute_has_its_file(&practice, &asha).await?;
    a_consent_file_is_proved(&practice).await?;
    a_parked_event_is_tried_again(&practice, &asha).await?;
    a_mail_that_failed_is_tried_again_or_settled(&practice).await?;
    a_part_that_is_down_does_not_hide_the_others(&practice).await?;
    every_action_was_audited(&practice).await?;
    commands_share_one_session(&practice).await
}

async fn customers_are_refused(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let person = Some((asha.email.as_str(), "quiet river stones"));
    for words in ["today", "parked list", "balances", "mails"] {
        let output = run(practice, person, words).await?;
        output.refused("not a member of the practice's staff");
        assert_eq!(output.out, "");
    }
    let wrong = Some((asha.email.as_str(), "quiet river stone"));
    run(practice, wrong, "today").await?.refused("no account has this address with this password");
    Ok(())
}

async fn a_day_is_seen_and_a_taken_time_cannot_be_closed(
    practice: &Practice,
    asha: &Customer<'_>,
) -> Result<()> {
    let (id, date) = paid(practice, asha, "staff-first").await?;
    let output = sukoon(practice, &format!("today {date}")).await?;
    output.shows(&[&id, "Asha Canaryworth", &asha.email, "meeting scheduled", "paid", "IST"]);
    let output = sukoon(practice, &format!("bookings --from {date} --days 1 --json")).await?;
    let listed: Value = serde_json::from_str(&output.done())?;
    assert_eq!(listed["bookings"][0]["booking"]["bookingId"], id.as_str());
    let none = sukoon(practice, &format!("bookings --from {date} --state cancelled")).await?;
    none.shows(&["No bookings in these days."]);
    let output = sukoon(practice, &format!("block {date}")).await?;
    output.refused("something is held, booked or closed in that time");

    let (start, date) = free_start(asha, 1).await?;
    let held = asha.hold(SERVICE, &start, "staff-held").await?;
    let output = sukoon(practice, &format!("today {date}")).await?;
    output.shows(&["Held for customers who have not paid yet", &held]);
    let output = sukoon(practice, &format!("cancel {held} --yes")).await?;
    output.refused("only a confirmed booking whose session is not over can be cancelled");
    asha.release(&held).await
}

async fn a_time_is_closed_and_opened_again(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    // A day of its own, long after the others.
    let all = asha.free_starts(SERVICE).await?;
    let start = all.last().context("no free time")?.clone();
    let local = start.parse::<Timestamp>()?.plus_minutes(330).to_string();
    let date = local.get(..10).context("no date")?;
    let is_free =
        async || Ok::<_, anyhow::Error>(asha.free_starts(SERVICE).await?.contains(&start));
    let output = sukoon(practice, &format!("block {date} 00:00 24:00 --json")).await?.done();
    let answer: Value = serde_json::from_str(&output)?;
    let block = answer["blockedTime"]["blockId"].as_str().context("no block")?;
    assert!(!is_free().await?, "a closed time was offered");
    let refused = asha.try_hold(SERVICE, &start, "staff-closed").await?;
    assert_eq!(refused.err().context("a closed time was given away")?.reason(), "SLOT_TAKEN");
    let output = sukoon(practice, &format!("today {date}")).await?;
    output.shows(&["Closed to customers", "00:00-24:00", block]);
    let output = sukoon(practice, &format!("unblock {block}")).await?;
    output.shows(&["Open to customers again."]);
    assert!(is_free().await?, "a time that was opened again was not offered");
    let none = format!("unblock blk_{}", "0".repeat(32));
    sukoon(practice, &none).await?.refused("there is no closed time with this id");
    Ok(())
}

async fn a_booking_is_cancelled_and_its_money_goes_back(
    practice: &Practice,
    asha: &Customer<'_>,
) -> Result<()> {
    let (id, date) = paid(practice, asha, "staff-cancel").await?;
    // By the reference that the mails quote.
    let reference = id.get(id.len() - 8..).context("no reference")?.to_uppercase();
    let cancel = format!("cancel {reference} --by practice");
    sukoon(practice, &cancel).await?.refused("add --yes");
    sukoon(practice, "cancel 00000000 --yes").await?.refused("no booking has the reference");
    asha.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    let output = sukoon(practice, &format!("{cancel} --yes")).await?;
    output.shows(&["Asha Canaryworth, ", &date, " goes back.\nCancelled. ₹"]);
    sukoon(practice, &format!("history {reference}")).await?.shows(&[
        "Booking requested",
        "Payment verified",
        "Booking cancelled",
    ]);
    asha.wait_for_state(&id, "BOOKING_STATE_CANCELLED").await?;
    let mail = mailed(asha, "Your session is cancelled").await?;
    let text = mail["text"].as_str().context("no text")?;
    assert!(text.contains("we are sorry") && text.contains("We're refunding ₹"), "{text}");
    let attached = mail["attachments"][0]["contentType"].as_str().unwrap_or_default();
    assert!(attached.contains("text/calendar"), "{mail}");
    until("the money is back", async || {
        let booking = asha.booking(&id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_REFUNDED").then_some(()))
    })
    .await?;
    // A repeat is still one cancellation and one refund.
    sukoon(practice, &format!("{cancel} --yes")).await?.shows(&["Cancelled. ₹"]);
    let output = sukoon(practice, &format!("today {date}")).await?;
    output.shows(&["Not taking place", "cancelled", "refunded"]);
    let output = sukoon(practice, &format!("ledger {id}")).await?;
    output.shows(&["customer_advance", "refunds_payable", "provider_clearing", "₹"]);
    the_doctor_finds_nothing(practice, &id).await
}

/// `sukoon doctor` reports no problem for this booking.
async fn the_doctor_finds_nothing(practice: &Practice, id: &str) -> Result<()> {
    let payments = format!("doctor payments {id}");
    until("webhooks have told of all of it", async || {
        Ok((sukoon(practice, &payments).await?.code == Some(0)).then_some(()))
    })
    .await?;
    sukoon(practice, "doctor").await?.shows(&["payments_webhooks", "by a webhook", "came back"]);
    Ok(())
}

async fn a_claim_is_accepted(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let (start, date) = free_start(asha, 0).await?;
    let id = asha.hold(SERVICE, &start, "staff-claim").await?;
    asha.order(&id).await?;
    let accept = format!("accept-claim {id} --yes");
    sukoon(practice, &accept).await?.refused("the customer has not said that");
    asha.open_checkout(&id).await?;
    asha.claim(&id).await?;
    until("booking has heard of it", async || {
        let booking = asha.booking(&id).await?;
        Ok((booking["paymentState"] == "PAYMENT_STATE_CLAIMED").then_some(()))
    })
    .await?;
    sukoon(practice, &accept).await?.shows(&["Confirmed on the customer's word"]);
    asha.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    let output = sukoon(practice, &format!("today {date}")).await?;
    output.shows(&[&id, "on the customer's word"]);
    let refund = sukoon(practice, &format!("refund {id} --yes")).await?;
    refund.refused("nothing is left to give back");
    until("its money is asked for", async || {
        let output = sukoon(practice, "orders unexplained --all").await?.done();
        Ok((output.contains("CONFIRMED_WITHOUT_MONEY") && output.contains(&id)).then_some(()))
    })
    .await
}

async fn a_part_is_given_back(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let (id, _date) = paid(practice, asha, "staff-refund").await?;
    let output = sukoon(practice, &format!("refund {id} 9999999 --yes")).await?;
    output.refused("more than is left to give back");
    let output = sukoon(practice, &format!("refund {id} 99.50 --yes")).await?;
    output.shows(&["₹99.50 goes back"]);
    mailed(asha, "Your refund of ₹99.50 is on its way").await?;
    mailed(asha, "Your refund of ₹99.50 is done").await?;
    let rest = sukoon(practice, &format!("refund {id} --yes --json")).await?.done();
    let rest: Value = serde_json::from_str(&rest)?;
    let minor: i64 = rest["amount"]["minorUnits"].as_str().context("no amount")?.parse()?;
    let price = asha.booking(&id).await?["price"]["minorUnits"].clone();
    let price: i64 = price.as_str().context("no price")?.parse()?;
    assert_eq!(minor, price - 9_950, "the rest of the price goes back, and no more");
    let output = sukoon(practice, &format!("refund {id} --yes")).await?;
    output.refused("nothing is left to give back");
    let balances = sukoon(practice, "balances --json").await?.done();
    let balances: Value = serde_json::from_str(&balances)?;
    let sum: i64 = balances["balances"]
        .as_array()
        .context("no balances")?
        .iter()
        .filter_map(|row| row["balance"]["minorUnits"].as_str()?.parse::<i64>().ok())
        .sum();
    assert_eq!(sum, 0, "{balances}");
    Ok(())
}

/// A payment of an order that the practice's provider account has and the practice does not know.
async fn unexplained_money_is_listed(practice: &Practice) -> Result<()> {
    let provider = practice.record()?["provider"].clone();
    let text = |name: &str| provider[name].as_str().unwrap_or_default().to_owned();
    let receipt = eventstore::new_id::<kernel::id::Collection>().to_string();
    let order: Value = practice
        .http
        .post(format!("{}/v1/orders", practice.sandbox))
        .basic_auth(text("key_id"), Some(text("key_secret")))
        .json(&json!({ "amount": 77_700, "currency": "INR", "receipt": receipt }))
        .send()
        .await?
        .error_for_status()?
        .json()
        .await?;
    let order = order["id"].as_str().context("no order")?;
    practice.pay(order).await?;
    until("the money is listed", async || {
        let output = sukoon(practice, "orders unexplained --all").await?.done();
        let is_listed = |line: &str| line.contains(order) && line.contains("ORDER_UNKNOWN");
        Ok(output.lines().any(is_listed).then_some(()))
    })
    .await
}

/// A payment is disputed: staff see the deadline, and export the evidence as one file.
async fn a_dispute_has_its_file(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let (id, _date) = paid(practice, asha, "staff-dispute").await?;
    asha.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    mailed(asha, "Your session is confirmed").await?;
    let output = sukoon(practice, &format!("dispute pack {id} --json")).await?.done();
    let output: Value = serde_json::from_str(&output)?;
    let entries = output["payment"]["entries"].as_array().context("no entries")?;
    let verified = entries.iter().find(|entry| entry["event"] == "PaymentVerified");
    let payment = verified.and_then(|entry| entry["paymentId"].as_str()).context("no payment")?;
    practice.sandbox_post("/api/dispute", &json!({ "payment_id": payment })).await?;
    until("the dispute is listed", async || {
        let output = sukoon(practice, "orders unexplained --all").await?.done();
        let is_listed = |line: &str| line.contains(payment) && line.contains("DISPUTE_OPEN");
        Ok(output.lines().any(is_listed).then_some(()))
    })
    .await?;
    let file = practice.data().join("dispute.html");
    let pack = format!("dispute pack {id} --output {}", file.display());
    sukoon(practice, &pack).await?.shows(&["is written"]);
    let page = std::fs::read_to_string(&file)?;
    for part in [
        payment,
        "Terms accepted",
        "Not recorded: the page did not say which version it showed",
        "Consent to online sessions",
        "Booking requested",
        "Booking confirmed",
        "Payment verified",
        "Dispute observed",
        "booking confirmed</td><td>sent",
        "₹",
    ] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    sukoon(practice, &pack).await?.refused("cannot be written");
    Ok(())
}

/// A client shows a consent file, which the practice proves, also after the withdrawal.
async fn a_consent_file_is_proved(practice: &Practice) -> Result<()> {
    let client = Customer::new(practice, "Consenting").await?;
    let (start, _date) = free_start(&client, 0).await?;
    let held = client.try_hold_with_consent(SERVICE, &start, "staff-consent").await?;
    assert!(held.is_ok(), "{held:?}");
    let own = client.own_consent().await?;
    assert_eq!(own["current"], true, "{own}");
    let consent_id = own["consent"]["consentId"].as_str().context("the consent has no id")?;
    let content = client.consent_file(consent_id).await?;
    let file = practice.data().join("consent.txt");
    let verify = format!("consent verify {}", file.display());
    std::fs::write(&file, &content)?;
    sukoon(practice, &verify).await?.shows(&["Genuine", &client.email, "It is in force."]);
    std::fs::write(&file, content.replace("18 or older", "16 or older"))?;
    let forged = sukoon(practice, &verify).await?;
    assert!(forged.out.contains("Not genuine"), "{forged:?}");
    std::fs::write(&file, "Another text")?;
    sukoon(practice, &verify).await?.refused("not a consent file of this practice");
    client.withdraw_consent("staff-consent-withdrawn").await?;
    std::fs::write(&file, &content)?;
    sukoon(practice, &verify).await?.shows(&["Genuine", "It was withdrawn on"]);
    // The session is only held, so no client has to be called.
    sukoon(practice, "consent withdrawn").await?.shows(&["No client with a session to come"]);
    Ok(())
}

/// Breaks the table of mails for a time, so that an event cannot be consumed.
async fn a_parked_event_is_tried_again(practice: &Practice, asha: &Customer<'_>) -> Result<()> {
    let mut database = practice.database("notifications").await?;
    let broken =
        "alter table mails add constraint broken check (kind <> 'practice_notice') not valid";
    database.execute(broken).await?;
    let (id, _date) = paid(practice, asha, "staff-parked").await?;
    let output = until("the confirmation is parked", async || {
        let output = sukoon(practice, "parked list").await?;
        Ok(output.out.contains("BookingConfirmed").then_some(output))
    })
    .await?;
    output.shows(&["notifications", "booking.v1.BookingConfirmed", "broken"]);
    let output = sukoon(practice, "parked retry").await?;
    output.shows(&["notifications: 0 taken in", "booking.v1.BookingConfirmed"]);
    database.execute("alter table mails drop constraint broken").await?;
    let output = sukoon(practice, "parked retry booking-none").await?;
    output.shows(&["notifications: 0 taken in", "booking.v1.BookingConfirmed"]);
    let output = sukoon(practice, "parked retry").await?;
    assert!(!output.out.contains("notifications: 0 taken in"), "{output:?}");
    output.shows(&["Nothing is parked any more."]);
    until("the confirmation is mailed", async || {
        let sent: i64 = sqlx::query_scalar(
            "select count(*) from mails
             where state = 'sent' and kind = 'booking_confirmed'
               and replace(booking_id::text, '-', '') = $1",
        )
        .bind(id.trim_start_matches("bkg_"))
        .fetch_one(&mut database)
        .await?;
        Ok((sent == 1).then_some(()))
    })
    .await
}

/// A mail to a mailbox that does not exist is left to a person.
async fn a_mail_that_failed_is_tried_again_or_settled(practice: &Practice) -> Result<()> {
    let gone = Customer::new(practice, "Gone").await?;
    let fault = json!({
        "target": "smtp_rcpt", "kind": "refuse", "times": 0, "recipient": gone.email,
    });
    practice.sandbox_post("/api/faults", &fault).await?;
    let (id, _date) = paid(practice, &gone, "staff-mails").await?;
    let failed = until("both mails have failed", async || {
        let json = sukoon(practice, &format!("mails --failed --booking {id} --json")).await?.done();
        let json: Value = serde_json::from_str(&json)?;
        let mails = json["mails"].as_array().cloned().unwrap_or_default();
        Ok((mails.len() == 2).then_some(mails))
    })
    .await?;
    let id_of = |kind: &str| {
        let mail = failed.iter().find(|mail| mail["kind"] == kind);
        mail.and_then(|mail| mail["mailId"].as_str()).context("it has not failed")
    };
    let confirmation = id_of("MAIL_KIND_BOOKING_CONFIRMED")?;
    let receipt = id_of("MAIL_KIND_RECEIPT")?;
    let list = sukoon(practice, "mails --failed").await?;
    list.shows(&["2 failed, ", "confirmation", "receipt", "smtp 550", &id, confirmation]);
    assert!(!list.out.contains(&gone.email), "whom a mail goes to is nobody's business: {list:?}");
    let told = alarm_mailed(practice, "MailsFailed").await?;
    assert!(told.contains("MailsFailed: 2 mails were refused for good"), "{told}");
    assert!(!told.contains(&gone.email) && !told.contains("Gone"), "{told}");
    sukoon(practice, "mails --waiting --all").await?.shows(&["reminder"]);
    sukoon(practice, &format!("mails settle {receipt}")).await?.refused("add --yes");
    let settled = sukoon(practice, &format!("mails settle {receipt} --yes")).await?;
    settled.shows(&["Dealt with", "receipt"]);
    let retried = sukoon(practice, &format!("mails retry {receipt}")).await?;
    retried.refused("was sent, dropped or settled already");

    practice.http.delete(format!("{}/api/faults", practice.sandbox)).send().await?;
    let retried = sukoon(practice, &format!("mails retry {confirmation}")).await?;
    retried.shows(&["Tried again now", "confirmation"]);
    mailed(&gone, "").await?;
    until("it is sent", async || {
        let output = sukoon(practice, &format!("mails --state sent --booking {id}")).await?.done();
        Ok(output.contains(confirmation).then_some(()))
    })
    .await?;
    let over = sukoon(practice, &format!("mails settle {confirmation} --yes")).await?;
    over.refused("only a mail that has failed can be settled");
    let unknown = format!("mails retry mal_{}", "0".repeat(32));
    sukoon(practice, &unknown).await?.refused("there is no mail with this id");
    Ok(())
}

async fn a_part_that_is_down_does_not_hide_the_others(practice: &Practice) -> Result<()> {
    let pid = practice.pid("notifications")?.to_string();
    let signal = async |name: &str| Command::new("kill").args([name, &pid]).status().await;
    signal("-STOP").await?;
    let output = sukoon(practice, "parked list --json").await;
    signal("-CONT").await?;
    let output = output?;
    output.refused("notifications: that part of the practice does not answer right now");
    let answers: Value = serde_json::from_str(&output.out)?;
    let names: Vec<&String> = answers.as_object().context("no answers")?.keys().collect();
    assert_eq!(names, ["booking", "payments", "reviews"]);
    practice.wait_until_healthy().await
}

async fn every_action_was_audited(practice: &Practice) -> Result<()> {
    let expected = [
        (
            "booking",
            &[
                ("ListBookings", "done"),
                ("ListBlockedTimes", "done"),
                ("BlockTime", "done"),
                ("UnblockTime", "done"),
                ("PreviewCancellation", "done"),
                ("CancelBooking", "done"),
                ("FindBookings", "done"),
                ("AcceptClaim", "done"),
                ("GetBookingHistory", "done"),
                ("VerifyConsentFile", "done"),
                ("VerifyConsentFile", "INVALID_CONSENT_FILE"),
                ("ListParkedEvents", "done"),
                ("RetryParkedEvents", "done"),
            ][..],
        ),
        (
            "payments",
            &[
                ("GetBalances", "done"),
                ("RefundPayment", "done"),
                ("ListUnexplainedOrders", "done"),
                ("ListLedgerEntries", "done"),
                ("GetPaymentHistory", "done"),
                ("CheckProvider", "done"),
                ("RetryParkedEvents", "done"),
            ][..],
        ),
        (
            "notifications",
            &[
                ("RetryParkedEvents", "done"),
                ("ListMails", "done"),
                ("RetryMail", "done"),
                ("SettleMail", "done"),
            ][..],
        ),
        ("reviews", &[("RetryParkedEvents", "done")][..]),
    ];
    for (service, acts) in expected {
        let mut database = practice.database(service).await?;
        let rows = "select distinct action, outcome from audit_log where actor like 'usr_%'";
        let found: Vec<(String, String)> = sqlx::query_as(rows).fetch_all(&mut database).await?;
        for (action, outcome) in acts {
            let is_there = found.contains(&((*action).to_owned(), (*outcome).to_owned()));
            assert!(is_there, "{service} wrote no {action} {outcome} down: {found:?}");
        }
        // The client's own tries are counted, and fill no log.
        let counted = "select count(*) from outsider_refusals";
        let counted: i64 = sqlx::query_scalar(counted).fetch_one(&mut database).await?;
        assert!(counted > 0, "{service} counted no refusal");
    }
    Ok(())
}

/// The owner's session with its second factor stays for the next command, and it is the only one.
async fn commands_share_one_session(practice: &Practice) -> Result<()> {
    let mut database = practice.database("identity").await?;
    let owners: i64 = sqlx::query_scalar(
        "select count(*) from sessions join users using (user_id)
         where email = 'owner@sukoon.example'",
    )
    .fetch_one(&mut database)
    .await?;
    assert_eq!(owners, 1);
    practice.check().await
}
