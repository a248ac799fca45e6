//! The hourly limit per address: a mail over the limit is delayed, not lost. And a mail that waits
//! until it is due fetches no facts.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use contract::identity::v1::{CodeRequested, GetCodeMailResponse};
use eventstore::Metadata;
use futures::future::join_all;
use kernel::Timestamp;
use kernel::id::{Customer, MailedCode};
use notifications::mails::addresses::Addresses;
use notifications::mails::kind::Kind;
use notifications::mails::mail::{MailId, NewMail};
use notifications::repository::{self, Claim, Recipient};
use testkit::until;

use crate::world::{ADDRESS_KEY, CUSTOMER, PRACTICE, World, new_id, text};

const HOUR: i64 = 3600;

/// A mail to one person, due at once.
async fn hold_ended(world: &World, email: &str) -> Result<()> {
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| {
        booking.set_state(BookingState::Expired);
        booking.contact.as_mut().unwrap().email = email.to_owned();
    });
    world.append_event(BookingExpired { booking_id: id }).await
}

/// How many mails of a kind are sent, and how many are delayed by the limit.
async fn sent_and_waiting(world: &World, kind: &str) -> Result<(i64, i64)> {
    let sql = "select count(*) filter (where state = 'sent'),
                      count(*) filter (where state = 'queued' and last_error = 'recipient_rate'
                                         and due_at > clock_now())
               from mails where kind = $1";
    Ok(sqlx::query_as(sql).bind(kind).fetch_one(world.store.pool()).await?)
}

async fn until_sent_and_waiting(world: &World, sent: i64, waiting: i64) -> Result<()> {
    until(&format!("{sent} are sent and {waiting} wait"), async || {
        let now = sent_and_waiting(world, "hold_ended").await?;
        Ok((now == (sent, waiting)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_mail_over_the_limit_is_delayed_and_arrives() -> Result<()> {
    let mut world = World::new().await?;
    world.restart_with(|config| config.mail.recipient_limit = NonZeroU32::new(2).unwrap()).await?;
    for email in [CUSTOMER, " ASHA@example.org"] {
        hold_ended(&world, email).await?;
    }
    until_sent_and_waiting(&world, 2, 0).await?;
    for email in [CUSTOMER, CUSTOMER, CUSTOMER, "ravi@example.org"] {
        hold_ended(&world, email).await?;
    }
    until_sent_and_waiting(&world, 3, 3).await?;
    assert_eq!(world.inbox_of("ravi@example.org").await?.len(), 1, "others wait for nothing");

    // Each gets its own time: two when the counted mails expire, one an hour later.
    let (taken, waits): (Vec<Timestamp>, Vec<Timestamp>) = {
        let sql = "select coalesce(sent_at, due_at) from mails
                   where kind = 'hold_ended' and (state = 'sent') = $1
                     and recipient_hash = (select recipient_hash from mails
                                           where state = 'queued' limit 1) order by 1";
        let read = |sent: bool| sqlx::query_scalar(sql).bind(sent).fetch_all(world.store.pool());
        (read(true).await?, read(false).await?)
    };
    let hours = |at: &Timestamp, hours| at.plus_seconds(hours * HOUR);
    let wanted = [hours(&taken[0], 1), hours(&taken[1], 1), hours(&taken[0], 2)];
    assert_eq!(waits, wanted);

    world.move_clock(HOUR).await?;
    until_sent_and_waiting(&world, 5, 1).await?;
    world.stop().await?;
    world.start();
    world.move_clock(2 * HOUR).await?;
    until_sent_and_waiting(&world, 6, 0).await?;
    let mut inbox = world.inbox_of(CUSTOMER).await?;
    inbox.extend(world.inbox_of("ASHA@example.org").await?);
    let mut ids: Vec<&str> = inbox.iter().map(|mail| text(mail, "messageId")).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((inbox.len(), ids.len()), (5, 5), "each of them once");
    let reasons: i64 = sqlx::query_scalar("select count(last_error) from mails")
        .fetch_one(world.store.pool())
        .await?;
    assert_eq!(reasons, 0, "who was sent waits for nothing any more");
    world.end().await
}

#[tokio::test]
async fn codes_notices_of_the_practice_and_paid_bookings_never_wait() -> Result<()> {
    let mut world = World::new().await?;
    world.restart_with(|config| config.mail.recipient_limit = NonZeroU32::MIN).await?;
    hold_ended(&world, CUSTOMER).await?;
    hold_ended(&world, CUSTOMER).await?;
    until_sent_and_waiting(&world, 1, 1).await?;
    for _ in 0..3 {
        let code_id = new_id::<MailedCode>();
        let code = GetCodeMailResponse {
            email: CUSTOMER.to_owned(),
            code: "482913".to_owned(),
            purpose: "recovery".to_owned(),
            valid_minutes: 60,
            ..Default::default()
        };
        world.data.codes.lock().unwrap().insert(code_id.clone(), code);
        let (user_id, purpose) = (new_id::<Customer>(), "recovery".to_owned());
        world.append_event(CodeRequested { code_id, user_id, purpose }).await?;
        world.confirmed(world.booking(SessionMode::InPerson)).await?;
    }
    until("all of them have arrived", async || {
        let codes = sent_and_waiting(&world, "recover_password").await?;
        let notices = sent_and_waiting(&world, "practice_notice").await?;
        let paid = sent_and_waiting(&world, "booking_confirmed").await?;
        Ok((codes == (3, 0) && notices == (3, 0) && paid == (3, 0)).then_some(()))
    })
    .await?;
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 3);
    let inbox = world.inbox_of(CUSTOMER).await?;
    assert_eq!(inbox.len(), 7, "three codes, three confirmations, and the mail before");
    // They count all the same: a delayed mail waits for an hour after the last of them.
    let waits: bool = sqlx::query_scalar(
        "select bool_and(due_at > clock_now()) from mails
         where kind = 'hold_ended' and state = 'queued'",
    )
    .fetch_one(world.store.pool())
    .await?;
    assert!(waits);
    world.end().await
}

#[tokio::test]
async fn forms_with_a_strangers_address_delay_no_paid_bookings_mail() -> Result<()> {
    let mut world = World::new().await?;
    world.restart_with(|config| config.mail.recipient_limit = NonZeroU32::new(6).unwrap()).await?;
    for _ in 0..9 {
        hold_ended(&world, CUSTOMER).await?;
    }
    until_sent_and_waiting(&world, 4, 5).await?;
    for _ in 0..3 {
        world.confirmed(world.booking(SessionMode::InPerson)).await?;
    }
    until("they are confirmed at once", async || {
        Ok((sent_and_waiting(&world, "booking_confirmed").await? == (3, 0)).then_some(()))
    })
    .await?;
    // A day before the session the address is full again, and its customer is reminded.
    world.set_clock("2026-11-23T05:30:00Z").await?;
    for _ in 0..4 {
        hold_ended(&world, CUSTOMER).await?;
    }
    until("they are reminded at once", async || {
        Ok((sent_and_waiting(&world, "reminder").await? == (3, 0)).then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test]
async fn an_address_hash_is_deleted_when_it_no_longer_counts() -> Result<()> {
    let world = World::new().await?;
    let known = async || -> Result<i64> {
        let sql = "select count(recipient_hash) from mails";
        Ok(sqlx::query_scalar(sql).fetch_one(world.store.pool()).await?)
    };
    hold_ended(&world, CUSTOMER).await?;
    world.until_state("hold_ended", "sent").await?;
    assert_eq!(known().await?, 1);
    world.move_clock(HOUR + 60).await?;
    until("it is forgotten", async || Ok((known().await? == 0).then_some(()))).await?;
    world.end().await
}

#[tokio::test]
async fn many_workers_that_claim_at_once_claim_no_more_than_the_rate() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    let mails: Vec<NewMail> =
        (0..24).map(|_| NewMail::of_booking(Kind::FollowUp, eventstore::new_id())).collect();
    let ids: Vec<MailId> = mails.iter().map(NewMail::id).collect();
    world.queue(mails).await?;
    let address = Addresses::new(&ADDRESS_KEY.to_owned().into())?.hash(CUSTOMER);
    let recipient = Some(Recipient { address, former_address: None, hourly_max: 5 });
    let claim = Claim { message_id: "<id@x>".to_owned(), recipient };
    let claiming = ids.iter().map(async |id| {
        let mail = repository::load(world.store.pool(), *id).await?.unwrap().0;
        let claim = claim.clone();
        let claimed = world.store.write(Metadata::by("test", None), move |tx| {
            let (mail, claim) = (mail.clone(), claim.clone());
            Box::pin(async move { repository::claim(tx, &mail, &claim).await })
        });
        anyhow::Ok(claimed.await?.is_some())
    });
    let claimed: Vec<bool> = join_all(claiming).await.into_iter().collect::<Result<_>>()?;
    assert_eq!(claimed.iter().filter(|claimed| **claimed).count(), 5);
    let kept: (i64, i64) = sqlx::query_as(
        "select count(*) filter (where state = 'sending'),
                count(*) filter (where state = 'queued' and m.due_at > clock_now()
                                   and t.due_at = m.due_at)
         from mails m join timers t
           on t.subject = 'mal_' || replace(m.mail_id::text, '-', '') and t.kind = 'send_mail'",
    )
    .fetch_one(world.store.pool())
    .await?;
    assert_eq!(kept, (5, 19), "who was not claimed comes again");
    Ok(())
}

#[tokio::test]
async fn a_mail_that_is_not_due_fetches_no_facts() -> Result<()> {
    let world = World::new().await?;
    let asked = || world.data.asked.load(Ordering::SeqCst);
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.until_idle().await?;
    let once = asked();
    assert_eq!(once, 2, "confirmation and notice, and never to learn when the reminder is due");
    // Other mails are sent hour after hour, and the reminder fetches nothing.
    for hour in 1..=5 {
        world.move_clock(hour * HOUR).await?;
        hold_ended(&world, CUSTOMER).await?;
        world.until_idle().await?;
        assert_eq!(asked(), once + usize::try_from(hour)?, "only for the other mail");
    }
    // A day before the session, which is on the 24th at 05:30.
    world.set_clock("2026-11-23T05:30:01Z").await?;
    world.until_state("reminder", "sent").await?;
    assert_eq!(asked(), once + 5 + 1);
    world.end().await
}

#[tokio::test]
async fn a_reminder_that_met_a_hiccup_when_it_was_queued_has_its_three_days_when_it_is_due()
-> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.data.change(&id.to_string(), |booking| {
        let session = &mut booking.sessions[0];
        for (at, text) in [
            (&mut session.starts_at, "2026-11-30T05:30:00Z"),
            (&mut session.ends_at, "2026-11-30T06:15:00Z"),
        ] {
            let instant: Timestamp = text.parse().unwrap();
            *at = Some(contract::convert::to_wire(instant));
        }
    });
    world.data.down.store(true, Ordering::SeqCst);
    world.confirmed(id).await?;
    world.until_tried("reminder", 1).await?;
    world.data.down.store(false, Ordering::SeqCst);
    world.move_clock(60).await?;
    world.until_idle().await?;
    assert_eq!(world.column("reminder", "state").await?.as_deref(), Some("queued"));
    assert_eq!(world.column("reminder", "last_error").await?, None);

    let refused = serde_json::json!({ "target": "smtp", "kind": "refuse", "status": 451 });
    world.order_fault(refused).await?;
    world.set_clock("2026-11-29T05:30:01Z").await?;
    until("it is tried", async || {
        let state = world.column("reminder", "state").await?;
        Ok((state.as_deref() == Some("retrying")).then_some(()))
    })
    .await?;
    world.set_clock("2026-11-29T07:30:00Z").await?;
    world.until_state("reminder", "sent").await?;
    world.end().await
}
