//! Messages of the contact form: mailed to the practice and acknowledged once, whatever is typed
//! and however often, and erased later.

use std::num::NonZeroU32;

use anyhow::Result;
use futures::future::join_all;
use kernel::id::ContactMessage;
use serde_json::{Value, json};
use testkit::until;
use tonic::Code;

use crate::visitor::{
    EMAIL, MESSAGE, NAME, Visitor, because, count, everything_else, guide_request, header, message,
    refused, until_empty, until_looked_at,
};
use crate::world::{PRACTICE, World, new_id, text};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// Everything of a mail that its reader or mail program sees, except the recipient's address.
fn shown(mail: &Value) -> String {
    let mut mail = mail.clone();
    mail["to"] = json!([]);
    let headers = mail["headers"].as_array_mut().unwrap();
    headers.retain(|header| header["name"] != "To");
    mail.to_string().to_lowercase()
}

#[tokio::test]
async fn a_message_goes_to_the_practice_and_is_acknowledged() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;

    let to_practice = world.inbox_of(PRACTICE).await?;
    assert_eq!(to_practice.len(), 1);
    let reply_to = header(&to_practice[0], "Reply-To").unwrap();
    assert!(reply_to.contains(NAME) && reply_to.contains(&format!("<{EMAIL}>")), "{reply_to}");
    assert_eq!(text(&to_practice[0], "from"), "hello@sukoon.example", "never the writer");
    for line in MESSAGE.lines().chain([NAME, EMAIL]) {
        assert!(text(&to_practice[0], "text").contains(line), "{line}");
        assert!(text(&to_practice[0], "html").contains(line), "{line}");
    }
    assert_eq!(header(&to_practice[0], "List-Unsubscribe"), None);

    let to_writer = world.inbox_of(EMAIL).await?;
    assert_eq!(to_writer.len(), 1);
    assert_eq!(world.inbox().await?.len(), 2);
    // Otherwise the form could send any text to any address.
    for typed in ["canary", "nalini", "sleep badly", "which session"] {
        assert!(!shown(&to_writer[0]).contains(typed), "{typed}");
    }
    assert!(header(&to_writer[0], "List-Unsubscribe").is_some());
    world.end().await
}

#[tokio::test]
async fn the_same_key_is_the_same_message() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let first = message();
    let clicks = join_all((0..10).map(|_| visitor.send_message(first.clone()))).await;
    assert!(clicks.iter().all(Result::is_ok), "{clicks:?}");
    world.until_idle().await?;
    assert_eq!(
        visitor.send_message(first.clone()).await,
        Ok(()),
        "as after an answer that was lost"
    );
    // Not counted as one more.
    for _ in 0..4 {
        assert_eq!(visitor.send_message(message()).await, Ok(()));
    }
    assert_eq!(visitor.send_message(first.clone()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(count(&world, "contact_messages").await?, 5);
    assert_eq!((world.inbox_of(PRACTICE).await?.len(), world.inbox_of(EMAIL).await?.len()), (5, 1));

    let mut other = first;
    other.message.push_str(" Please answer soon.");
    let reused = because(Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED", "idempotency_key");
    assert_eq!(refused(visitor.send_message(other).await), reused);
    world.end().await
}

#[tokio::test]
async fn invalid_fields_are_rejected_with_their_reason() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let invalid = |reason, field| because(Code::InvalidArgument, reason, field);
    for nothing in ["", "  \n", "\u{2003}\u{a0}\u{200b}", "\0"] {
        let mut empty = message();
        empty.message = nothing.to_owned();
        assert_eq!(
            refused(visitor.send_message(empty.clone()).await),
            invalid("FIELDS_MISSING", "message")
        );
        empty.email = nothing.to_owned();
        assert_eq!(
            refused(visitor.send_message(empty.clone()).await),
            invalid("FIELDS_MISSING", "email")
        );
        empty.name = nothing.to_owned();
        let refusal = visitor.send_message(empty).await.unwrap_err();
        assert_eq!(refusal.sentence, "Please fill in all fields");
        assert_eq!(refused(Err(refusal)), invalid("FIELDS_MISSING", "name"));
    }
    let mut long = message();
    long.name = "a".repeat(121);
    assert_eq!(refused(visitor.send_message(long).await), invalid("TOO_LONG", "name"));
    let mut long = message();
    long.message = "a".repeat(5001);
    assert_eq!(refused(visitor.send_message(long.clone()).await), invalid("TOO_LONG", "message"));
    // More than a request may hold at all.
    long.message = "a".repeat(5_000_000);
    assert!(visitor.send_message(long).await.is_err());
    for wrong in ["asha", "a@b", "Asha <asha@example.org>", "a@example.org\r\nBcc: e@example.org"] {
        let mut written = message();
        written.email = wrong.to_owned();
        let refusal = refused(visitor.send_message(written).await);
        assert_eq!(refusal, invalid("INVALID_EMAIL", "email"), "{wrong}");
    }
    let mut unnamed = message();
    unnamed.idempotency_key = "short".to_owned();
    let refusal = refused(visitor.send_message(unnamed).await);
    assert_eq!(refusal, invalid("INVALID_IDEMPOTENCY_KEY", "idempotency_key"));
    assert_eq!((count(&world, "contact_messages").await?, count(&world, "mails").await?), (0, 0));
    world.end().await
}

#[tokio::test]
async fn typed_text_is_sanitized() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let mut hostile = message();
    hostile.name = "Asha\r\nBcc: eve@example.org\u{202e} <eve@example.org>, \"x".to_owned();
    let words = "<script>alert(1)</script> {{ practice.name }} {% raw %} &amp;";
    let marked = "\u{200f}שלום 🧘🏽‍♀️\0 \u{202e}moc.elpmaxe";
    hostile.message = format!("{words}\r\n.\r\nQUIT\r\n{marked}");
    assert_eq!(visitor.send_message(hostile).await, Ok(()));
    let mut longest = message();
    longest.message = "🙏".repeat(5000);
    assert_eq!(visitor.send_message(longest).await, Ok(()));
    world.until_idle().await?;

    assert_eq!(world.inbox_of("eve@example.org").await?, Vec::<Value>::new());
    let to_practice = world.inbox_of(PRACTICE).await?;
    assert_eq!((to_practice.len(), world.inbox_of(EMAIL).await?.len()), (2, 1));
    let hostile = to_practice.iter().find(|it| text(it, "text").contains("QUIT")).unwrap();
    assert_eq!(header(hostile, "Bcc"), None);
    assert!(header(hostile, "Reply-To").unwrap().contains(EMAIL));
    let seen = text(hostile, "text");
    assert!(seen.contains(words), "{seen}");
    assert!(seen.contains("שלום 🧘🏽‍♀️") && !seen.contains(['\0', '\u{202e}']), "{seen}");
    assert!(!text(hostile, "html").contains("<script>alert"));
    let longest = to_practice.iter().find(|it| text(it, "text").contains('🙏')).unwrap();
    assert_eq!(text(longest, "text").matches('🙏').count(), 5000);
    world.end().await
}

#[tokio::test]
async fn an_address_sends_five_messages_an_hour() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let first = message();
    assert_eq!(visitor.send_message(first.clone()).await, Ok(()));
    let tagged = "canary-nalini+1@example.org";
    for email in [EMAIL, "CANARY-nalini@EXAMPLE.org", " canary-nalini@example.org ", tagged] {
        let mut next = message();
        next.email = email.to_owned();
        assert_eq!(visitor.send_message(next).await, Ok(()));
    }
    for email in [EMAIL, "canary-nalini+2@example.org"] {
        let mut one_more = message();
        one_more.email = email.to_owned();
        let refusal = refused(visitor.send_message(one_more).await);
        assert_eq!(refusal, because(Code::ResourceExhausted, "TOO_MANY_REQUESTS", ""));
    }
    assert_eq!(visitor.send_message(first).await, Ok(()), "it was taken already");
    let mut other = message();
    other.email = "canary-other@example.org".to_owned();
    assert_eq!(visitor.send_message(other).await, Ok(()));
    world.move_clock(HOUR - 60).await?;
    assert!(visitor.send_message(message()).await.is_err());
    world.move_clock(HOUR + 60).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 7);
    world.end().await
}

#[tokio::test]
async fn fifty_at_once_are_five() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let answers = join_all((0..50).map(|_| visitor.send_message(message()))).await;
    let (taken, refusals): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(taken.len(), 5);
    for refusal in refusals {
        assert_eq!(refused(refusal), because(Code::ResourceExhausted, "TOO_MANY_REQUESTS", ""));
    }
    assert_eq!(count(&world, "contact_messages").await?, 5);
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 6, "five messages and one acknowledgement");
    world.end().await
}

#[tokio::test]
async fn an_address_gets_one_acknowledgement_an_hour() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let thanks = async |email: &str, after: i64| {
        world.move_clock(after).await?;
        let mut next = message();
        next.email = email.to_owned();
        assert_eq!(visitor.send_message(next).await, Ok(()), "{email} after {after}");
        world.until_idle().await?;
        let mails = world.inbox().await?;
        let to_practice = world.inbox_of(PRACTICE).await?.len();
        anyhow::Ok(mails.len() - to_practice)
    };
    assert_eq!(thanks(EMAIL, 0).await?, 1);
    assert_eq!(thanks(EMAIL, 60).await?, 1);
    assert_eq!(thanks("canary-nalini+1@example.org", HOUR - 60).await?, 1);
    assert_eq!(thanks("canary-other@example.org", HOUR - 60).await?, 2);
    // An hour after the last that was sent, not after the last that was not.
    assert_eq!(thanks(EMAIL, HOUR + 60).await?, 3);
    assert_eq!(thanks(EMAIL, HOUR + 120).await?, 3);
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 6, "every message arrives");
    let unsent = "mails where kind = 'contact_acknowledgement' and state = 'dropped'
                  and last_error = 'acknowledged'";
    assert_eq!(count(&world, unsent).await?, 3);
    world.end().await
}

#[tokio::test]
async fn all_addresses_together_have_an_hourly_limit() -> Result<()> {
    let mut world = World::new().await?;
    world.restart_with(|config| config.contact_limit = NonZeroU32::new(8).unwrap()).await?;
    let visitor = Visitor::new(&world).await?;
    let from = |number: usize| {
        let mut written = message();
        written.email = format!("canary-{number}@example.org");
        written
    };
    let first = from(0);
    assert_eq!(visitor.send_message(first.clone()).await, Ok(()));
    let answers = join_all((1..20).map(|number| visitor.send_message(from(number)))).await;
    let (taken, refusals): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(taken.len(), 7);
    for refusal in refusals {
        assert_eq!(refused(refusal), because(Code::ResourceExhausted, "TOO_MANY_REQUESTS", ""));
    }
    assert_eq!(visitor.send_message(first).await, Ok(()), "it was taken already");
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()), "the guide's form goes on");
    // It is counted in the database, so a restart takes nothing back.
    world.stop().await?;
    world.start();
    assert!(Visitor::new(&world).await?.send_message(from(20)).await.is_err());
    assert_eq!(count(&world, "contact_messages").await?, 8);
    world.move_clock(HOUR + 60).await?;
    assert_eq!(visitor.send_message(from(21)).await, Ok(()));
    world.until_idle().await?;
    world.end().await
}

#[tokio::test]
async fn a_filled_invisible_field_gets_the_usual_answer() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let mut trapped = message();
    trapped.website = "https://spam.example".to_owned();
    assert_eq!(visitor.send_message(trapped.clone()).await, Ok(()));
    trapped.name.clear();
    assert!(visitor.send_message(trapped).await.is_err(), "as usual, too");
    world.until_idle().await?;
    assert_eq!((count(&world, "contact_messages").await?, count(&world, "mails").await?), (0, 0));
    world.end().await
}

#[tokio::test]
async fn typed_text_is_in_one_table_only() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let refusal = json!({ "target": "smtp", "kind": "refuse", "status": 550, "times": 2 });
    world.order_fault(refusal).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    let all = everything_else(&world).await?;
    assert!(all.contains("contact_acknowledgement"), "{all}");
    for typed in ["canary", "nalini", "sleep badly"] {
        assert!(!all.contains(typed), "{typed}: {all}");
    }
    world.end().await
}

#[tokio::test]
async fn a_message_is_erased_after_thirty_days() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    world.move_clock(30 * DAY - 60).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(count(&world, "contact_messages").await?, 2, "a minute too early");
    world.move_clock(30 * DAY + 60).await?;
    until("the first one is erased", async || {
        Ok((count(&world, "contact_messages").await? == 1).then_some(()))
    })
    .await?;
    world.move_clock(60 * DAY + 60).await?;
    until_empty(&world, "contact_messages").await?;
    assert_eq!(count(&world, "timers where kind = 'erase_message'").await?, 0);
    assert_eq!(world.inbox().await?.len(), 4);
    world.end().await
}

#[tokio::test]
async fn a_message_stays_while_its_mail_is_tried_or_waits_for_a_person() -> Result<()> {
    let mut world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    // No worker runs: the mails are still queued when the message's retention is over.
    world.stop().await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.move_clock(31 * DAY).await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    world.start();
    world.until_tried("contact_message", 1).await?;
    until_looked_at(&world, "erase_message").await?;
    assert_eq!(count(&world, "contact_messages").await?, 1);

    world.clear_faults().await?;
    let refusal = json!({ "target": "smtp", "kind": "refuse", "status": 550, "times": 2 });
    world.order_fault(refusal).await?;
    world.move_clock(32 * DAY).await?;
    world.until_idle().await?;
    assert_eq!(world.column("contact_message", "state").await?.as_deref(), Some("failed"));
    world.move_clock(89 * DAY).await?;
    until_looked_at(&world, "erase_message").await?;
    assert_eq!(count(&world, "contact_messages").await?, 1);
    world.move_clock(90 * DAY + 60).await?;
    until_empty(&world, "contact_messages").await?;
    world.end().await
}

#[tokio::test]
async fn a_message_is_erased_when_staff_settled_its_mail() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let refusal = json!({ "target": "smtp", "kind": "refuse", "status": 550, "times": 2 });
    world.order_fault(refusal).await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    world.move_clock(31 * DAY).await?;
    until_looked_at(&world, "erase_message").await?;
    assert_eq!(count(&world, "contact_messages").await?, 1);
    let settled = sqlx::query("update mails set state = 'settled'");
    settled.execute(world.store.pool()).await?;
    world.move_clock(31 * DAY + 2 * HOUR).await?;
    until_empty(&world, "contact_messages").await?;
    world.end().await
}

#[tokio::test]
async fn a_process_that_dies_after_its_answer_loses_nothing() -> Result<()> {
    let mut world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    world.stop().await?;
    // Accepted without a worker, as by a process that dies right after its commit.
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.start();
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);
    world.stop().await?;
    world.start();
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn a_message_that_was_erased_is_dropped_and_not_missed() -> Result<()> {
    let mut world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    world.stop().await?;
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    // As after the restore of a backup.
    sqlx::query("delete from contact_messages").execute(world.store.pool()).await?;
    let (kind, unknown) = ("erase_message", new_id::<ContactMessage>());
    let timer = "insert into timers (kind, subject, due_at) values ($1, $2, clock_now())";
    sqlx::query(timer).bind(kind).bind(unknown).execute(world.store.pool()).await?;
    world.start();
    world.until_idle().await?;
    assert_eq!(world.column("contact_message", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.move_clock(31 * DAY).await?;
    until("no timer is left", async || {
        let left = count(&world, "timers where kind = 'erase_message'").await?;
        Ok((left == 0).then_some(()))
    })
    .await?;
    world.end().await
}
