//! A mail server that refuses, hangs or is down; other services that are down; a process that dies.

use std::sync::atomic::Ordering;

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use serde_json::{Value, json};

use crate::visitor::{Visitor, guide_request, message};
use crate::world::{CUSTOMER, World, text};

const HOUR: i64 = 3600;

/// One mail to one person, due at once.
async fn hold_ended(world: &World) -> Result<()> {
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id }).await
}

#[tokio::test]
async fn a_mail_that_is_refused_for_now_arrives_later_and_once() -> Result<()> {
    let world = World::new().await?;
    let later = json!({ "target": "smtp", "kind": "refuse", "status": 451, "times": 2 });
    world.order_fault(later).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    assert_eq!(world.published("hold_ended").await?, ["failed"]);
    assert_eq!(world.column("hold_ended", "last_error").await?.as_deref(), Some("smtp_451"));

    world.move_clock(40).await?;
    world.until_tried("hold_ended", 2).await?;
    assert_eq!(world.published("hold_ended").await?, ["failed"], "it is told once");

    world.move_clock(40 + 80).await?;
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "sent"]);
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_mail_that_is_refused_for_good_is_left_to_a_person() -> Result<()> {
    let world = World::new().await?;
    world.order_fault(json!({ "target": "smtp", "kind": "refuse", "status": 550 })).await?;
    hold_ended(&world).await?;
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed for good"]);
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("failed"));
    world.move_clock(80 * HOUR).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}

#[tokio::test]
async fn a_refused_answer_to_a_form_is_dropped() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let refusal = json!({ "target": "smtp", "kind": "refuse", "status": 550, "times": 0 });
    world.order_fault(refusal).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    for kind in ["contact_acknowledgement", "meditation_guide"] {
        assert_eq!(world.column(kind, "state").await?.as_deref(), Some("dropped"), "{kind}");
        assert_eq!(world.column(kind, "last_error").await?.as_deref(), Some("smtp_550"));
        assert_eq!(world.published(kind).await?, Vec::<&str>::new());
    }
    // A message to the practice is, because its sender waits for an answer.
    assert_eq!(world.column("contact_message", "state").await?.as_deref(), Some("failed"));
    world.end().await
}

#[tokio::test]
async fn wrong_credentials_are_our_own_fault_and_not_the_mail_s() -> Result<()> {
    let world = World::new().await?;
    world.order_fault(json!({ "target": "smtp", "kind": "refuse", "status": 535 })).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.move_clock(40).await?;
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "sent"]);
    world.end().await
}

/// As Postfix, Exim, Google's relay and Exchange answer a client that is not set up with them.
#[tokio::test]
async fn a_relay_that_does_not_know_us_is_waited_for() -> Result<()> {
    let world = World::new().await?;
    let answers = [
        (554, "5.7.1 <asha@example.org>: Relay access denied"),
        (550, "relay not permitted"),
        (550, "5.7.1 Invalid credentials for relay [203.0.113.10]."),
        (554, "5.2.252 SendAsDenied; not allowed to send as hello@sukoon.example"),
    ];
    for (status, code) in answers {
        let unknown = json!({ "target": "smtp", "kind": "refuse", "status": status, "code": code });
        world.order_fault(unknown).await?;
    }
    hold_ended(&world).await?;
    for attempt in 1..=4 {
        world.until_tried("hold_ended", attempt).await?;
        world.move_clock(HOUR * i64::from(attempt)).await?;
    }
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "sent"]);
    world.end().await
}

/// As Google, Exchange and Plesk answer when the day's quota of an account is used up.
#[tokio::test]
async fn a_day_s_quota_is_waited_for() -> Result<()> {
    let world = World::new().await?;
    let answers = [
        (550, "5.4.5 Daily user sending limit exceeded."),
        (554, "5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException"),
        (554, "5.7.0 The limit on the number of allowed outgoing messages was exceeded."),
    ];
    for (status, code) in answers {
        let full = json!({ "target": "smtp", "kind": "refuse", "status": status, "code": code });
        world.order_fault(full).await?;
    }
    hold_ended(&world).await?;
    for attempt in 1..=3 {
        world.until_tried("hold_ended", attempt).await?;
        let reason = world.column("hold_ended", "last_error").await?;
        assert_eq!(reason.as_deref(), Some("smtp_quota"));
        world.move_clock(HOUR * i64::from(attempt)).await?;
    }
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "sent"]);
    world.end().await
}

#[tokio::test]
async fn three_days_without_a_mail_server_are_enough() -> Result<()> {
    let world = World::new().await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.move_clock(71 * HOUR).await?;
    world.until_tried("hold_ended", 2).await?;
    world.move_clock(74 * HOUR).await?;
    world.until_idle().await?;
    assert_eq!(world.published("hold_ended").await?, ["failed", "failed for good"]);
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}

#[tokio::test]
async fn a_repeat_after_a_lost_answer_has_the_same_message_id() -> Result<()> {
    let world = World::new().await?;
    let lost = json!({ "target": "smtp", "kind": "timeout_after_success", "delay_ms": 20 });
    world.order_fault(lost).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.move_clock(40).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 2, "the one repeat that cannot be excluded");
    assert_eq!(text(&mails[0], "messageId"), text(&mails[1], "messageId"));
    assert!(text(&mails[0], "messageId").ends_with("@sukoon.example"));
    world.end().await
}

#[tokio::test]
async fn a_server_that_takes_its_time_gets_the_mail_once() -> Result<()> {
    let world = World::new().await?;
    // Longer than a handler waits, and longer than a claim that isn't renewed.
    world.order_fault(json!({ "target": "smtp", "kind": "delay", "delay_ms": 17_000 })).await?;
    hold_ended(&world).await?;
    world.until_state("hold_ended", "sending").await?;
    assert!(world.claimed_for("hold_ended").await? > 0, "nobody takes it up meanwhile");
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.column("hold_ended", "attempts::text").await?.as_deref(), Some("1"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_process_that_stops_waits_for_the_mail_that_is_on_its_way() -> Result<()> {
    let mut world = World::new().await?;
    // Longer than a stopping process waits for timers, so that the delivery goes on alone.
    world.order_fault(json!({ "target": "smtp", "kind": "delay", "delay_ms": 6_500 })).await?;
    hold_ended(&world).await?;
    world.until_state("hold_ended", "sending").await?;
    world.stop().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn mails_wait_for_services_that_are_down() -> Result<()> {
    let world = World::new().await?;
    world.data.down.store(true, Ordering::SeqCst);
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    let reason = world.column("hold_ended", "last_error").await?;
    assert_eq!(reason.as_deref(), Some("booking_unavailable"));
    assert_eq!(world.published("hold_ended").await?, Vec::<&str>::new());
    world.data.down.store(false, Ordering::SeqCst);
    world.move_clock(40).await?;
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    world.end().await
}

#[tokio::test]
async fn a_restart_forgets_nothing_and_repeats_nothing() -> Result<()> {
    let mut world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.stop().await?;
    world.meeting_scheduled(id).await?;
    world.start();
    world.until_idle().await?;
    world.stop().await?;
    world.start();
    world.confirmed(id).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn a_process_that_died_while_it_sent_is_followed_by_one_that_sends() -> Result<()> {
    let mut world = World::new().await?;
    world.data.down.store(true, Ordering::SeqCst);
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.stop().await?;
    // As a process leaves it that died between the server's answer and the commit.
    let mail = world.mail("hold_ended").await?;
    world.move_clock(HOUR).await?;
    assert!(world.begin(&mail).await?.is_some());
    assert_eq!(world.begin(&mail).await?, None, "who read the mail before it was claimed");
    let claimed = world.mail("hold_ended").await?;
    assert_eq!(world.begin(&claimed).await?, None, "who reads it while it is on its way");
    world.data.down.store(false, Ordering::SeqCst);

    // A minute before its claim ends, however slow this machine is; another mail goes out.
    world.move_clock(HOUR - 60).await?;
    world.start();
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_state("booking_confirmed", "sent").await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sending"));

    world.move_clock_at_once(2 * HOUR).await?;
    assert_eq!(world.begin(&claimed).await?, None, "a moved clock ends no claim");
    world.end_claims().await?;
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn an_outage_ends_with_every_mail_once() -> Result<()> {
    let world = World::new().await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    let id = world.booking(SessionMode::InPerson);
    world.confirmed(id).await?;
    world.until_tried("booking_confirmed", 1).await?;
    world.until_tried("practice_notice", 1).await?;
    world.clear_faults().await?;
    world.move_clock(24 * HOUR).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);
    assert_eq!(world.published("booking_confirmed").await?, ["failed", "sent"]);
    world.end().await
}
