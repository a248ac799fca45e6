//! Requests for the meditation guide: one mail for each, and the answer reveals nothing about an
//! address.

use anyhow::Result;
use futures::future::join_all;
use serde_json::{Value, json};
use testkit::until;
use tonic::Code;

use crate::visitor::{
    EMAIL, Visitor, because, count, everything_else, guide_request, header, message, refused,
    until_empty, until_looked_at,
};
use crate::world::{World, text};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn the_guide_is_sent_once_per_request() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let first = guide_request();
    let clicks = join_all((0..10).map(|_| visitor.request_guide(first.clone()))).await;
    assert!(clicks.iter().all(Result::is_ok), "{clicks:?}");
    world.until_idle().await?;
    assert_eq!(visitor.request_guide(first.clone()).await, Ok(()));
    world.until_idle().await?;
    let mails = world.inbox().await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["to"], json!([EMAIL]));
    assert!(header(&mails[0], "List-Unsubscribe").is_some());
    assert!(!text(&mails[0], "text").trim().is_empty());
    let mut other = first;
    other.email = "canary-other@example.org".to_owned();
    let reused = because(Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED", "idempotency_key");
    assert_eq!(refused(visitor.request_guide(other).await), reused);
    world.end().await
}

#[tokio::test]
async fn what_is_no_address_is_refused() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    for wrong in [
        "",
        " ",
        "\0",
        "asha",
        "a@b",
        "a@127.0.0.1",
        "Asha <asha@example.org>",
        "asha@example.org, eve@example.org",
        "asha@example.org\r\nBcc: eve@example.org",
    ] {
        let mut asked = guide_request();
        asked.email = wrong.to_owned();
        let refusal = visitor.request_guide(asked).await.unwrap_err();
        assert_eq!(refusal.sentence, "Invalid email address");
        let expected = because(Code::InvalidArgument, "INVALID_EMAIL", "email");
        assert_eq!(refused(Err(refusal)), expected, "{wrong:?}");
    }
    let mut huge = guide_request();
    huge.email = format!("{}@example.org", "a".repeat(5_000_000));
    assert!(visitor.request_guide(huge).await.is_err());
    assert_eq!((count(&world, "guide_requests").await?, count(&world, "mails").await?), (0, 0));
    world.end().await
}

#[tokio::test]
async fn an_address_gets_three_guides_a_day_and_the_answer_stays_the_same() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let answers = join_all((0..50).map(|_| visitor.request_guide(guide_request()))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(count(&world, "guide_requests").await?, 3);
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 3);
    let mut other = guide_request();
    other.email = "canary-other@example.org".to_owned();
    assert_eq!(visitor.request_guide(other).await, Ok(()));
    world.move_clock(DAY - 60).await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    let mut tagged = guide_request();
    tagged.email = "canary-nalini+1@example.org".to_owned();
    assert_eq!(visitor.request_guide(tagged).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 3);
    assert_eq!(world.inbox().await?.len(), 4);
    // Messages are counted for themselves.
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.move_clock(DAY + 60).await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 5);
    world.end().await
}

#[tokio::test]
async fn a_filled_invisible_field_gets_the_usual_answer() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let mut trapped = guide_request();
    trapped.website = " ".to_owned();
    assert_eq!(visitor.request_guide(trapped).await, Ok(()));
    world.until_idle().await?;
    assert_eq!((count(&world, "guide_requests").await?, count(&world, "mails").await?), (0, 0));
    world.end().await
}

#[tokio::test]
async fn a_request_is_erased_after_a_day_but_not_before_its_guide_is_sent() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert!(!everything_else(&world).await?.contains("canary"));
    world.move_clock(DAY - 60).await?;
    assert_eq!(count(&world, "guide_requests").await?, 1);
    world.move_clock(DAY + 60).await?;
    until_empty(&world, "guide_requests").await?;

    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    until("it is tried", async || {
        let tried = "mails where state = 'retrying'";
        Ok((count(&world, tried).await? == 1).then_some(()))
    })
    .await?;
    world.move_clock(3 * DAY).await?;
    until_looked_at(&world, "erase_guide_request").await?;
    assert_eq!(count(&world, "guide_requests").await?, 1);
    world.clear_faults().await?;
    world.move_clock(3 * DAY + 2 * HOUR).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 2);
    world.move_clock(3 * DAY + 4 * HOUR).await?;
    until_empty(&world, "guide_requests").await?;
    world.end().await
}

#[tokio::test]
async fn a_process_that_dies_after_its_answer_loses_nothing() -> Result<()> {
    let mut world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    world.stop().await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.start();
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 1);
    world.end().await
}
