//! The unsubscribe link: mails that are not about a booking stop, all others go on, and the use of
//! the link reveals no address.

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use notifications::mails::addresses::Addresses;
use serde_json::Value;
use tonic::Code;

use crate::visitor::{
    EMAIL, Visitor, because, count, everything_else, guide_request, header, message, refused,
};
use crate::world::{ADDRESS_KEY, CUSTOMER, FORMER_KEY, PRACTICE, World, text};

/// The token of the link in a mail's header and footer.
fn token(mail: &Value) -> &str {
    let link = header(mail, "List-Unsubscribe").unwrap();
    let link = link.trim_start_matches('<').trim_end_matches('>');
    assert!(text(mail, "text").contains(link), "{link}");
    link.strip_prefix("http://127.0.0.1:8080/unsubscribe?t=").unwrap()
}

#[tokio::test]
async fn the_link_of_a_mail_ends_such_mails_and_the_answers_stay_the_same() -> Result<()> {
    let mut world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    let guides = world.inbox_of(EMAIL).await?;
    let one_click = header(&guides[0], "List-Unsubscribe-Post");
    assert_eq!(one_click, Some("List-Unsubscribe=One-Click"));
    let token = token(&guides[0]);
    for _ in 0..2 {
        assert_eq!(visitor.unsubscribes(token).await, Ok(()));
    }
    assert_eq!(count(&world, "unsubscribed_addresses").await?, 1);

    let mut written_otherwise = guide_request();
    written_otherwise.email = EMAIL.to_uppercase();
    assert_eq!(visitor.request_guide(written_otherwise).await, Ok(()));
    assert_eq!(visitor.send_message(message()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 1, "only the guide from before");
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1, "the practice has the message");
    let (state, why) = ("state", "last_error");
    let acknowledgement = "contact_acknowledgement";
    assert_eq!(world.column(acknowledgement, state).await?.as_deref(), Some("dropped"));
    assert_eq!(world.column(acknowledgement, why).await?.as_deref(), Some("unsubscribed"));

    // Others get theirs, also after a restart.
    world.stop().await?;
    world.start();
    let mut other = guide_request();
    other.email = "canary-other@example.org".to_owned();
    assert_eq!(visitor.request_guide(other).await, Ok(()));
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of("canary-other@example.org").await?.len(), 1);
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 1);
    let all = everything_else(&world).await?;
    assert!(!all.contains("canary") && !all.contains(&token.to_lowercase()), "{all}");
    world.end().await
}

#[tokio::test]
async fn it_can_be_taken_back() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let key = Addresses::new(&ADDRESS_KEY.to_owned().into())?;
    let token = key.token(EMAIL);
    assert_eq!(visitor.resubscribes(&token).await, Ok(()), "nothing to take back");
    assert_eq!(visitor.unsubscribes(&token).await, Ok(()));
    assert_eq!(visitor.unsubscribes(&key.token("canary-other@example.org")).await, Ok(()));
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?, Vec::<Value>::new());
    for _ in 0..2 {
        assert_eq!(visitor.resubscribes(&token).await, Ok(()));
    }
    assert_eq!(count(&world, "unsubscribed_addresses").await?, 1, "the other one stays");
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 1, "the new guide, and not the one before");
    world.end().await
}

#[tokio::test]
async fn unsubscribing_a_tagged_address_applies_to_it_alone() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let key = Addresses::new(&ADDRESS_KEY.to_owned().into())?;
    assert_eq!(visitor.unsubscribes(&key.token("canary-nalini+x@example.org")).await, Ok(()));
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    let mut tagged = guide_request();
    tagged.email = "canary-nalini+x@example.org".to_owned();
    assert_eq!(visitor.request_guide(tagged).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 1);
    assert_eq!(world.inbox_of(EMAIL).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn mails_about_a_booking_go_on() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let token = Addresses::new(&ADDRESS_KEY.to_owned().into())?.token(CUSTOMER);
    assert_eq!(visitor.unsubscribes(&token).await, Ok(()));
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id }).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_forged_token_unsubscribes_nothing() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let others = Addresses::new(&"another-key-that-is-long-enough-too".to_owned().into())?;
    let token = Addresses::new(&ADDRESS_KEY.to_owned().into())?.token(EMAIL);
    let cut = &token[..42];
    for wrong in ["", "\0", "x", EMAIL, cut, &format!("{token}A"), &others.token(EMAIL)] {
        let refusal = refused(visitor.unsubscribes(wrong).await);
        let expected = because(Code::InvalidArgument, "INVALID_TOKEN", "token");
        assert_eq!(refusal, expected, "{wrong:?}");
        assert_eq!(refused(visitor.resubscribes(wrong).await), expected, "{wrong:?}");
    }
    assert_eq!(count(&world, "unsubscribed_addresses").await?, 0);
    world.end().await
}

#[tokio::test]
async fn a_short_key_stops_the_start() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    let mut config = world.config();
    config.mail.address_key = "short".to_owned().into();
    let failed = notifications::run(config, world.shutdown.clone()).await.unwrap_err();
    assert!(failed.to_string().contains("NOTIFICATIONS_ADDRESS_KEY"), "{failed}");
    Ok(())
}

/// A new key hashes addresses anew; those that were unsubscribed under the key before stay so.
#[tokio::test]
async fn who_unsubscribed_under_the_key_before_gets_nothing() -> Result<()> {
    let world = World::new().await?;
    let visitor = Visitor::new(&world).await?;
    let former = Addresses::new(&FORMER_KEY.to_owned().into())?;
    sqlx::query("insert into unsubscribed_addresses values ($1, clock_now())")
        .bind(former.hash(EMAIL).as_bytes())
        .execute(world.store.pool())
        .await?;
    assert_eq!(visitor.request_guide(guide_request()).await, Ok(()));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(EMAIL).await?, Vec::<Value>::new());
    world.end().await
}
