//! Every mail of a booking and of the forms, from outside: the whole chain in one practice.

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

use anyhow::{Context as _, Result};
use checker::snapshot::Ack;
use kernel::Timestamp;
use serde_json::{Value, json};
use system::forms::{contains_text, request_guide, send_message, text_after, unsubscribe};
use system::mails::{header, plain_text, unsubscribe_token};
use system::practice::RAISED_LIMITS;
use system::reviews::{SERVICE as REVIEWS, call, review_request};
use system::staff_command::sukoon;
use system::{Customer, Practice};
use testkit::until;

const SERVICE: &str = "general-consultation";
/// The practice's own address, from its file.
const PRACTICE_ADDRESS: &str = "bookings@sukoon.example";
const HOUR: i64 = 60;

#[tokio::test(flavor = "multi_thread")]
async fn every_mail_of_a_booking_and_of_the_forms_arrives_once() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let asha = Customer::new(&practice, "Asha").await?;
    let (id, start) = booked(&practice, &asha).await?;
    a_confirmation_and_a_receipt(&practice, &asha, &id).await?;
    a_reminder(&practice, &asha, &id, start).await?;
    a_day_sheet(&practice, start).await?;
    a_room_that_opens(&practice, &asha, &id, start).await?;
    a_follow_up_that_proves_a_review(&practice, &asha, &id, start).await?;
    a_refund_that_is_asked_for(&practice, &asha, &id).await?;
    a_message_and_its_acknowledgement(&practice).await?;
    a_guide_until_it_is_ended(&practice).await?;
    practice.check().await
}

/// A paid booking whose session is far enough away for a reminder, and its start.
async fn booked(practice: &Practice, asha: &Customer<'_>) -> Result<(String, Timestamp)> {
    let now = now(practice).await?;
    let starts = asha.free_starts(SERVICE).await?;
    let far = |start: &String| {
        let at: Result<Timestamp, _> = start.parse();
        at.is_ok_and(|at| at.seconds_since(now) > 49 * HOUR * 60)
    };
    let start = starts.into_iter().find(far).context("no free time")?;
    let id = asha.hold(SERVICE, &start, "chain-first").await?;
    let order = asha.order(&id).await?;
    asha.open_checkout(&id).await?;
    practice.pay(&order).await?;
    asha.wait_for_state(&id, "BOOKING_STATE_MEETING_SCHEDULED").await?;
    Ok((id, start.parse()?))
}

async fn now(practice: &Practice) -> Result<Timestamp> {
    let mut database = practice.database("notifications").await?;
    Ok(sqlx::query_scalar("select clock_now()").fetch_one(&mut database).await?)
}

/// Moves the clocks forward to a moment.
async fn until_it_is(practice: &Practice, moment: Timestamp) -> Result<()> {
    let minutes = moment.seconds_since(now(practice).await?).max(0) / 60 + 1;
    practice.advance_clocks(minutes).await
}

async fn a_confirmation_and_a_receipt(
    practice: &Practice,
    asha: &Customer<'_>,
    id: &str,
) -> Result<()> {
    let confirmation = practice.mail_of("booking_confirmed", id).await?;
    let file = &confirmation["attachments"][0];
    assert!(file["contentType"].as_str().is_some_and(|kind| kind.contains("text/calendar")));
    let notice = practice.mail_of("practice_notice", id).await?;
    assert_eq!(notice["to"][0], PRACTICE_ADDRESS);
    let listed = until("there is a receipt", async || {
        let body = json!({ "bookingId": id });
        let listed = asha.call("payments.v1.PaymentsService/ListReceipts", body).await?.ok()?;
        Ok(listed["receipts"].get(0).cloned())
    })
    .await?;
    let serial = listed["serial"].as_str().context("no serial")?;
    assert!(serial.starts_with("SUK/") && serial.ends_with("/00001"), "{serial}");
    let receipt_id = listed["receiptId"].as_str().context("no receipt")?;
    let receipt = practice.mail_of("receipt", receipt_id).await?;
    assert_eq!(receipt["to"][0], asha.email.as_str());
    assert!(contains_text(&receipt, serial), "{receipt}");
    // Another client's receipt reads as not found.
    let ravi = Customer::new(practice, "Ravi").await?;
    let body = json!({ "bookingId": id });
    let refused = ravi.call("payments.v1.PaymentsService/ListReceipts", body).await?;
    assert_eq!(refused.status, 404, "{refused:?}");
    Ok(())
}

async fn a_reminder(
    practice: &Practice,
    asha: &Customer<'_>,
    id: &str,
    start: Timestamp,
) -> Result<()> {
    practice.wait_until_idle().await?;
    assert!(practice.mails_of("reminder", id).await?.is_empty(), "it came too early");
    until_it_is(practice, start.plus_minutes(-23 * HOUR)).await?;
    let reminder = practice.mail_of("reminder", id).await?;
    let room = asha.booking(id).await?["joinUrl"].as_str().context("no room")?.to_owned();
    assert!(!reminder.to_string().contains(&room), "{reminder}");
    assert!(plain_text(&reminder).contains("5 minutes"), "{reminder}");
    let page = opened(asha, &reminder).await?;
    assert_eq!((page["sessionNumber"].as_i64(), &page["roomUrl"]), (Some(1), &Value::Null));
    assert!(!page.to_string().contains("Asha"), "{page}");
    Ok(())
}

/// What the page shows that a mail leads to.
async fn opened(asha: &Customer<'_>, mail: &Value) -> Result<Value> {
    let text = mail["text"].as_str().context("no text")?;
    let key = text.split("/join#key=").nth(1).and_then(|rest| rest.get(..43));
    let body = json!({ "joinKey": key.context("no way to the session")? });
    let page = asha.call("booking.v1.JoinPageService/OpenJoinPage", body).await?.ok()?;
    Ok(page["page"].clone())
}

/// Ten minutes before the session the page of every mail has the room.
async fn a_room_that_opens(
    practice: &Practice,
    asha: &Customer<'_>,
    id: &str,
    start: Timestamp,
) -> Result<()> {
    until_it_is(practice, start.plus_minutes(-10)).await?;
    let room = asha.booking(id).await?["joinUrl"].as_str().context("no room")?.to_owned();
    for kind in ["booking_confirmed", "reminder"] {
        let mail = practice.mail_of(kind, id).await?;
        assert!(!mail.to_string().contains(&room), "{mail}");
        assert_eq!(opened(asha, &mail).await?["roomUrl"], room.as_str(), "{kind}");
    }
    let body = json!({ "bookingId": id });
    let own = asha.call("booking.v1.JoinPageService/GetOwnJoinPage", body).await?.ok()?;
    assert_eq!(own["page"]["roomUrl"], room.as_str());
    Ok(())
}

/// On the morning of the session the practice receives the day sheet.
async fn a_day_sheet(practice: &Practice, start: Timestamp) -> Result<()> {
    until_it_is(practice, start.plus_minutes(-2 * HOUR)).await?;
    let local = start.plus_minutes(330).to_string();
    let date = local.get(..10).context("no date")?;
    let sheet = practice.mail_of("day_sheet", date).await?;
    assert_eq!(sheet["to"][0], PRACTICE_ADDRESS);
    assert!(contains_text(&sheet, "Canaryworth"), "the session is not in it: {sheet}");
    Ok(())
}

async fn a_follow_up_that_proves_a_review(
    practice: &Practice,
    asha: &Customer<'_>,
    id: &str,
    start: Timestamp,
) -> Result<()> {
    // It is not marked, so the mail goes in the evening of its day.
    until_it_is(practice, start.plus_minutes(12 * HOUR)).await?;
    asha.wait_for_state(id, "BOOKING_STATE_COMPLETED").await?;
    let mail = practice.mail_of("follow_up", id).await?;
    assert_eq!(mail["to"][0], asha.email.as_str());
    let text = mail["text"].as_str().context("no text")?;
    let invitation = text_after(text, "#invitation=")?;
    assert_eq!(invitation.len(), 43, "{invitation}");
    let mut review = review_request("somebody@customers.example", "chain-first-review");
    review["invitation"] = json!(invitation);
    let answer = call(practice, (REVIEWS, "SubmitReview"), &review, |it| it).await?.ok()?;
    assert_eq!(answer["review"]["verified"], true, "{answer}");
    let review_id = answer["review"]["reviewId"].as_str().context("no review")?;
    practice.record_ack(Ack::Reviewed(review_id.parse()?));
    let notice = practice.mail_of("review_notice", review_id).await?;
    assert_eq!(notice["to"][0], PRACTICE_ADDRESS);
    assert!(contains_text(&notice, review_id), "it does not lead to the review: {notice}");
    // One session proves one review.
    let mut again = review_request("somebody@customers.example", "chain-second-review");
    again["invitation"] = json!(invitation);
    let refused = call(practice, (REVIEWS, "SubmitReview"), &again, |it| it).await?;
    assert_ne!(refused.body["review"]["verified"], true, "{refused:?}");
    Ok(())
}

/// The practice is told without the reason, and answers at the terminal; then money goes back.
async fn a_refund_that_is_asked_for(
    practice: &Practice,
    asha: &Customer<'_>,
    id: &str,
) -> Result<()> {
    let body =
        json!({ "bookingId": id, "idempotencyKey": "chain-refund", "reason": "Reasoncanary" });
    let asked = asha.call("payments.v1.RefundRequestService/RequestRefund", body).await?.ok()?;
    let (number, request_id) = (&asked["request"]["number"], &asked["request"]["requestId"]);
    let number = number.as_str().context("no number")?;
    let request_id = request_id.as_str().context("no request")?;
    let mail = practice.mail_of("refund_asked", request_id).await?;
    assert_eq!(mail["to"][0], asha.email.as_str());
    let notice = practice.mail_of("refund_asked_notice", request_id).await?;
    assert_eq!(notice["to"][0], PRACTICE_ADDRESS);
    assert!(contains_text(&notice, number), "{notice}");
    sukoon(practice, "refund-requests").await?.shows(&[number, "open", "Reasoncanary"]);
    let answer = format!("answer-refund-request {number} --refund 100 --text Gladly");
    sukoon(practice, &answer).await?.refused("add --yes");
    let done = sukoon(practice, &format!("{answer} --yes")).await?;
    done.shows(&["₹100 goes back. The client is told by mail."]);
    let mail = practice.mail_of("refund_answered", request_id).await?;
    assert!(contains_text(&mail, "₹100") && contains_text(&mail, "Gladly"), "{mail}");
    practice.wait_until_idle().await?;
    assert_eq!(practice.mails_of("refund_started", "").await?.len(), 1);
    for mail in practice.inbox().await? {
        assert!(!mail.to_string().contains("Reasoncanary"), "{mail}");
    }
    for part in ["gateway", "payments", "booking", "notifications"] {
        assert!(!practice.log(part)?.contains("Reasoncanary"), "{part} logs the reason");
    }
    Ok(())
}

async fn a_message_and_its_acknowledgement(practice: &Practice) -> Result<()> {
    let writer = "ravi.writes@customers.example";
    let text = "Do you give sessions\nin the evening?\n.\nBcc: all@customers.example";
    send_message(practice, writer, text).await?.ok()?;
    // A repeat with the same key is the same message.
    send_message(practice, writer, text).await?.ok()?;
    let arrived =
        practice.mail_of("contact_message", &only(practice, "contact_message").await?).await?;
    assert!(header(&arrived, "Reply-To").contains(writer), "{arrived}");
    assert!(header(&arrived, "From").contains("hello@sukoon.example"), "{arrived}");
    assert!(plain_text(&arrived).contains("in the evening?"), "{arrived}");
    let subject = only(practice, "contact_acknowledgement").await?;
    let acknowledged = practice.mail_of("contact_acknowledgement", &subject).await?;
    assert_eq!(acknowledged["to"], json!([writer]));
    // The acknowledgement repeats nothing of the form, because the address may be another person's.
    assert!(
        !plain_text(&acknowledged).contains("evening")
            && !contains_text(&acknowledged, "Canaryworth")
    );
    assert_eq!(practice.mails_of("contact_message", "").await?.len(), 1);

    let empty =
        json!({ "name": "Asha", "email": writer, "message": " ", "idempotencyKey": "chain-empty" });
    let service = "notifications.v1.NotificationsService";
    let refused = call(practice, (service, "SendContactMessage"), &empty, |it| it).await?;
    assert_eq!((refused.status, refused.reason().as_str()), (400, "FIELDS_MISSING"));
    assert_eq!(refused.body["message"], "Please fill in all fields");
    Ok(())
}

/// The subject of the one mail of a kind.
async fn only(practice: &Practice, kind: &str) -> Result<String> {
    let mut database = practice.database("notifications").await?;
    let sql = "select subject from mails where kind = $1";
    Ok(sqlx::query_scalar(sql).bind(kind).fetch_one(&mut database).await?)
}

async fn a_guide_until_it_is_ended(practice: &Practice) -> Result<()> {
    let email = "guided@customers.example";
    request_guide(practice, email, "chain-guide-1").await?.ok()?;
    let sent =
        practice.mail_of("meditation_guide", &only(practice, "meditation_guide").await?).await?;
    assert_eq!(sent["to"], json!([email]));
    assert!(plain_text(&sent).contains("10 minutes"), "{sent}");
    let token = unsubscribe_token(&sent)?;
    assert_eq!(unsubscribe(practice, &"x".repeat(43)).await?, 400);
    let page = practice.http.get(format!("{}/unsubscribe?t={token}", practice.url)).send().await?;
    assert_eq!(page.status(), 200, "the page that asks");
    for _twice in 0..2 {
        assert_eq!(unsubscribe(practice, &token).await?, 200);
    }
    // The answer is the same, and no mail is sent.
    request_guide(practice, email, "chain-guide-2").await?.ok()?;
    practice.wait_until_idle().await?;
    assert_eq!(practice.mails_of("meditation_guide", "").await?.len(), 1);
    let mut database = practice.database("notifications").await?;
    let sql = "select count(*) from mails where kind = 'meditation_guide'
               and state = 'dropped' and last_error = 'unsubscribed'";
    let ended: i64 = sqlx::query_scalar(sql).fetch_one(&mut database).await?;
    assert_eq!(ended, 1);
    let log = practice.log("gateway")?;
    assert!(!log.contains(&token), "the secret of a link stands in a log");
    assert!(log.lines().any(|line| line.contains("/unsubscribe")), "it logs its requests");
    Ok(())
}
