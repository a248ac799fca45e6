//! The confirmation, the practice's notice, and the meeting link that may come early or late.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::booking::v1::SessionMode;
use contract::notifications::v1::{MailKind, MailSent};
use serde_json::{Value, json};

use crate::world::{CUSTOMER, JOIN_URL, PRACTICE, TRACE, World, text};

fn calendar_file(mail: &Value) -> String {
    let attachments = mail["attachments"].as_array().unwrap();
    assert_eq!(attachments.len(), 1);
    assert_eq!(attachments[0]["filename"], "session.ics");
    assert_eq!(attachments[0]["contentType"], "text/calendar");
    let bytes = STANDARD.decode(attachments[0]["base64"].as_str().unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_confirmed_booking_is_mailed_once_to_both() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.meeting_scheduled(id).await?;
    // Whatever repeats the events, each mail goes out once.
    world.confirmed(id).await?;
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);

    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(text(&mails[0], "from"), "hello@sukoon.example");
    let subject = "Your session is confirmed: Tuesday 24 November 2026, 11:00 am IST";
    assert_eq!(text(&mails[0], "subject"), subject);
    assert!(text(&mails[0], "text").contains(JOIN_URL));
    assert!(text(&mails[0], "html").contains("https://meet.example/room/a?x=1&amp;y=2"));
    assert!(calendar_file(&mails[0]).contains("SEQUENCE:1\r\n"));

    let notices = world.inbox_of(PRACTICE).await?;
    assert!(text(&notices[0], "text").contains("Please speak slowly."));
    assert!(text(&notices[0], "html").contains("O&#x27;Neil &lt;b&gt;"));
    assert_eq!(notices[0]["attachments"], json!([]));
    world.end().await
}

#[tokio::test]
async fn outcomes_are_published_in_the_bookings_trace() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.confirmed(id).await?;
    world.until_idle().await?;
    let events = world.events("booking_confirmed").await?;
    assert_eq!(events.len(), 1);
    let sent = events[0].decode::<MailSent>()?;
    assert_eq!(
        (sent.booking_id.clone(), sent.kind()),
        (id.to_string(), MailKind::BookingConfirmed)
    );
    assert!(sent.mail_id.starts_with("mal_"));
    let metadata = &events[0].metadata;
    assert!(metadata.traceparent.as_ref().is_some_and(|it| it.contains(TRACE)));
    assert_eq!(metadata.correlation.as_deref(), Some("all"));
    assert!(metadata.causation.is_some());
    world.end().await
}

#[tokio::test]
async fn nothing_personal_is_kept() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.order_fault(json!({ "target": "smtp", "kind": "refuse", "status": 550 })).await?;
    world.meeting_scheduled(id).await?;
    world.confirmed(id).await?;
    world.until_idle().await?;
    let dump = world.dump().await?;
    assert!(dump.contains("booking_confirmed"));
    for word in ["Asha", "O'Neil", "asha@", "bookings@", "+9198", "slowly", "meet.example"] {
        assert!(!dump.contains(word), "{word} was kept");
    }
    world.end().await
}

#[tokio::test]
async fn a_session_in_person_waits_for_no_link() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.confirmed(id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "text").contains("We welcome you at Sukoon, Arera Colony"));
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn the_mail_waits_for_its_link() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.until_waiting_for_link("booking_confirmed").await?;
    world.until_waiting_for_link("practice_notice").await?;
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);
    assert!(text(&world.inbox_of(CUSTOMER).await?[0], "text").contains(JOIN_URL));
    assert!(text(&world.inbox_of(PRACTICE).await?[0], "text").contains(JOIN_URL));
    world.end().await
}

#[tokio::test]
async fn a_link_that_comes_late_follows() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.until_waiting_for_link("booking_confirmed").await?;
    world.until_waiting_for_link("practice_notice").await?;
    world.move_clock(61).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "text").contains("Your meeting link is being prepared."));
    assert!(calendar_file(&mails[0]).contains("SEQUENCE:0\r\n"));

    world.meeting_scheduled(id).await?;
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 2);
    assert!(text(&mails[1], "subject").starts_with("Your meeting link for"));
    assert!(text(&mails[1], "text").contains(JOIN_URL));
    assert!(calendar_file(&mails[1]).contains("SEQUENCE:1\r\n"));
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_link_that_comes_while_the_mail_is_on_its_way_follows_too() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.until_waiting_for_link("booking_confirmed").await?;
    world.until_waiting_for_link("practice_notice").await?;
    let slow = json!({ "target": "smtp", "kind": "delay", "delay_ms": 1500, "times": 2 });
    world.order_fault(slow).await?;
    world.move_clock(61).await?;
    world.until_state("booking_confirmed", "sending").await?;
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 2);
    assert!(!text(&mails[0], "text").contains(JOIN_URL));
    assert!(text(&mails[1], "text").contains(JOIN_URL));
    world.end().await
}
