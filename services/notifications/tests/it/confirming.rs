//! The confirmation and the practice's notice: neither waits for the room or names it.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::booking::v1::{RoomMissing, SessionMode};
use contract::notifications::v1::{MailKind, MailSent};
use serde_json::{Value, json};

use notifications::mails::kind::Kind;
use notifications::mails::mail::NewMail;

use crate::world::{CUSTOMER, PRACTICE, TRACE, World, text};

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
    for form in ["text", "html"] {
        assert!(text(&mails[0], form).contains(&format!("/join#key=join-{id}")), "{form}");
        assert!(!text(&mails[0], form).contains("meet.example"), "{form}");
    }
    assert!(calendar_file(&mails[0]).contains("METHOD:PUBLISH\r\n"));

    let notices = world.inbox_of(PRACTICE).await?;
    assert!(!text(&notices[0], "text").contains("speak slowly"), "what the client wrote is mailed");
    assert!(text(&notices[0], "text").contains("/join/bkg_"));
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
    assert_eq!(world.published("practice_notice").await?, Vec::<&str>::new(), "it has no reader");
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
async fn a_session_in_person_says_where() -> Result<()> {
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

/// Both mails lead to the page that has the room when it is time.
#[tokio::test]
async fn a_confirmation_does_not_wait_for_the_room() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    let join = format!("http://127.0.0.1:8080/join#key=join-{id}");
    assert!(text(&mails[0], "text").contains(&join), "{}", mails[0]);
    let notices = world.inbox_of(PRACTICE).await?;
    assert_eq!(notices.len(), 1);
    assert!(!text(&notices[0], "text").contains("#key="), "the practice has the client's key");
    // The room that comes later changes nothing that was mailed.
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    let inbox = world.inbox().await?;
    assert_eq!(inbox.len(), 2);
    assert!(inbox.iter().all(|mail| !mail.to_string().contains("meet.example")), "{inbox:?}");
    world.end().await
}

/// A release before sent confirmations without the room, which promised it in a second mail.
#[tokio::test]
async fn what_a_release_before_promised_is_mailed_once() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.confirmed(id).await?;
    world.until_idle().await?;
    world.owe_links().await?;
    world.meeting_scheduled(id).await?;
    world.meeting_scheduled(id).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 2);
    assert!(text(&mails[1], "subject").starts_with("Your meeting link for"));
    assert!(text(&mails[1], "text").contains("/join#key="));
    assert!(!mails[1].to_string().contains("meet.example"), "{}", mails[1]);
    assert!(calendar_file(&mails[1]).contains("METHOD:PUBLISH\r\n"));
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

/// At an upgrade mails of a release before wait for a room: they go out when it comes, and without
/// it when their minute is over.
#[tokio::test]
async fn mails_that_waited_for_a_room_at_the_upgrade_go_out() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    let (with_room, without) =
        (world.booking(SessionMode::Online), world.booking(SessionMode::Online));
    let kinds = [Kind::BookingConfirmed, Kind::PracticeNotice];
    for id in [with_room, without] {
        world.queue(kinds.map(|kind| NewMail::of_booking(kind, id)).to_vec()).await?;
    }
    world
        .as_owner(
            "update mails set due_at = clock_now() + interval '1 minute',
                              waits_for_link_until_at = clock_now() + interval '1 minute';
             update timers set due_at = clock_now() + interval '1 minute'
             where kind = 'send_mail'",
        )
        .await?;
    world.start();
    world.meeting_scheduled(with_room).await?;
    testkit::until("those whose room came have left", async || {
        Ok((world.inbox().await?.len() == 2).then_some(()))
    })
    .await?;
    world.move_clock(61).await?;
    world.until_idle().await?;
    let inbox = world.inbox().await?;
    assert_eq!((inbox.len(), world.inbox_of(CUSTOMER).await?.len()), (4, 2));
    assert!(inbox.iter().all(|mail| !mail.to_string().contains("meet.example")), "{inbox:?}");
    world.end().await
}

#[tokio::test]
async fn the_practice_is_told_once_of_a_session_without_a_room() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    let missing = RoomMissing { booking_id: id.to_string(), session_number: 0 };
    world.append_event(missing.clone()).await?;
    world.append_event(missing.clone()).await?;
    world.until_idle().await?;
    let mails = world.inbox().await?;
    assert_eq!((mails.len(), world.inbox_of(PRACTICE).await?.len()), (1, 1), "{mails:?}");
    assert!(text(&mails[0], "subject").starts_with("No room yet: booking "));
    assert!(text(&mails[0], "text").contains(&format!("/join/{id}")));
    // The room that came meanwhile ends the task.
    let other = world.booking(SessionMode::Online);
    world.meeting_scheduled(other).await?;
    world.append_event(RoomMissing { booking_id: other.to_string(), session_number: 0 }).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 1);
    world.end().await
}
