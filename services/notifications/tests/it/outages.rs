//! A day without a mail server, a mail server that dies between accepting a message and answering,
//! and a process of ours that dies anywhere: no mail is lost, and a duplicate has the same
//! Message-ID.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context as _, Result};
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingExpired, BookingState, CancelledBy,
    ConsentCodeRequested, GetConsentCodeMailResponse, GetStaffInvitationResponse,
    PaymentPageRequested, RoomMissing, SessionMode, StaffInvitationMailRequested,
};
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::identity::v1::{
    AccountNoticeRequested, CodeRequested, GetAccountNoticeResponse, GetCodeMailResponse,
};
use contract::payments::v1::{
    DisputeObserved, ReceiptIssued, RefundAccepted, RefundFailed, RefundProcessed, RefundRequested,
};
use contract::reviews::v1::{Review, ReviewSubmitted};
use kernel::Timestamp;
use kernel::id::{
    AccountNotice, Customer, MailedCode, Receipt, Refund, Review as ReviewKind, StaffInvitation,
};
use notifications::mails::kind::Kind;
use notifications::mails::mail::NewMail;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use runtime::Shutdown;
use serde_json::{Value, json};
use testkit::until_within;
use tokio::runtime::{Builder, Runtime};

use crate::fake_services;
use crate::moves::moved;
use crate::proposals::practice_asks;
use crate::refund_requests::asked_and_answered;
use crate::visitor::{Visitor, guide_request, message};
use crate::waiting_offers::time_is_offered;
use crate::world::{World, new_id, text};

const HOUR: i64 = 3600;
/// 40 hours after a test begins: the reminder of such a session falls into the outage, the second
/// one behind it.
const AHEAD: &str = "2026-11-22T22:00:00Z";
/// Before a test begins.
const BEFORE: &str = "2026-11-21T03:00:00Z";
/// How many mails a server takes that dies at every third, each time at another moment.
const MAILS: usize = 300;
/// The timeout for many mails on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// How many mails stand in each state.
async fn states(world: &World) -> Result<BTreeMap<String, i64>> {
    let rows: Vec<(String, i64)> =
        sqlx::query_as("select state, count(*) from mails group by state")
            .fetch_all(world.store.pool())
            .await?;
    Ok(rows.into_iter().collect())
}

/// Waits until every due mail was tried.
async fn until_tried_all(world: &World) -> Result<()> {
    until_within(PATIENCE, "every mail that is due was tried", async || {
        let due: bool = sqlx::query_scalar(
            "select exists (select from timers
                            where kind = 'send_mail' and due_at <= clock_now())
                 or exists (select from mails where state = 'sending')",
        )
        .fetch_one(world.store.pool())
        .await?;
        Ok((!due).then_some(()))
    })
    .await
}

/// How often each mail has arrived, by its Message-ID; each is compared with its first arrival.
async fn arrived(world: &World) -> Result<BTreeMap<String, usize>> {
    let mut first: BTreeMap<String, Value> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for mail in world.inbox().await? {
        let id = format!("<{}>", text(&mail, "messageId"));
        let known = first.entry(id.clone()).or_insert_with(|| mail.clone());
        for field in ["to", "subject", "text"] {
            assert_eq!(known[field], mail[field], "a repeat is the same mail");
        }
        *counts.entry(id).or_default() += 1;
    }
    Ok(counts)
}

/// The Message-IDs of all mails that were queued.
async fn queued(world: &World) -> Result<BTreeSet<String>> {
    let ids: Vec<Option<String>> =
        sqlx::query_scalar("select message_id from mails").fetch_all(world.store.pool()).await?;
    ids.into_iter().map(|id| id.context("a mail was never tried")).collect()
}

/// A booking in a state, with a session that begins then.
fn booking(world: &World, email: &str, state: BookingState, starts_at: &str) -> String {
    let id = world.booking(SessionMode::InPerson).to_string();
    world.data.change(&id, |booking| {
        booking.set_state(state);
        booking.contact.as_mut().unwrap().email = email.to_owned();
    });
    begins(world, &id, starts_at);
    id
}

fn begins(world: &World, id: &str, starts_at: &str) {
    let starts_at: Timestamp = starts_at.parse().unwrap();
    world.data.change(id, |booking| {
        booking.sessions[0].starts_at = Some(to_wire(starts_at));
        booking.sessions[0].ends_at = Some(to_wire(starts_at.plus_minutes(45)));
    });
}

/// Every event that queues a mail, each with its own booking.
async fn everything_happens(world: &World, visitor: &Visitor, number: u32) -> Result<()> {
    let email = |what: &str| format!("{what}-{number}@example.org");
    let id = booking(world, &email("confirmed"), BookingState::Confirmed, AHEAD);
    world.confirmed(id.parse()?).await?;
    let id = booking(world, &email("expired"), BookingState::Expired, AHEAD);
    world.append_event(BookingExpired { booking_id: id }).await?;
    let placed = |what: &str| booking(world, &email(what), BookingState::Confirmed, AHEAD);
    practice_asks(world, [placed("displaced"), placed("kept")]).await?;
    let id = booking(world, &email("cancelled"), BookingState::Cancelled, AHEAD);
    let money = Money { minor_units: 75_000, currency_code: "INR".to_owned() };
    let refund = Some(money.clone());
    let cancelled_by = CancelledBy::Customer.into();
    let (booking_id, unpaid, by_grace) = (id.clone(), false, false);
    let event = BookingCancelled { booking_id, cancelled_by, refund, unpaid, by_grace };
    world.append_event(event).await?;
    let refund_id = new_id::<Refund>();
    world
        .append_event(RefundRequested {
            booking_id: id.clone(),
            refund_id: refund_id.clone(),
            payment_id: "pay_1".to_owned(),
            amount: Some(money.clone()),
            cause: "cancelled".to_owned(),
            ..Default::default()
        })
        .await?;
    let (booking_id, refund) = (id.clone(), refund_id.clone());
    let accepted = RefundAccepted { booking_id, refund_id: refund, ..RefundAccepted::default() };
    world.append_event(accepted).await?;
    world.append_event(RefundProcessed { booking_id: id.clone(), refund_id }).await?;
    refund_fails(world, &email("owed")).await?;
    let disputed = DisputeObserved {
        booking_id: id.clone(),
        payment_id: "pay_1".to_owned(),
        dispute_id: format!("disp_{number}"),
        state: "open".to_owned(),
        phase: "chargeback".to_owned(),
        amount: Some(money.clone()),
        ..Default::default()
    };
    world.append_event(disputed).await?;
    let receipt_id = new_id::<Receipt>();
    let receipt = fake_services::receipt(&receipt_id, &id);
    world.data.receipts.lock().unwrap().insert(receipt_id.clone(), receipt.clone());
    world
        .append_event(ReceiptIssued {
            receipt_id,
            booking_id: id,
            payment_id: receipt.payment_id,
            serial: receipt.serial,
            amount: Some(money),
            ..ReceiptIssued::default()
        })
        .await?;
    phone_booking_is_held(world, &email("phone")).await?;
    member_is_invited(world, &email("invited")).await?;
    time_is_offered(world, &email("waiting")).await?;
    let ended = || booking(world, &email("asked"), BookingState::Completed, BEFORE);
    asked_and_answered(world, [ended(), ended()]).await?;
    everything_else_happens(world, number).await?;
    account_changes(world, &email("changed")).await?;
    let mut written = message();
    written.email = email("contact");
    assert_eq!(visitor.send_message(written).await, Ok(()));
    let mut requested_guide = guide_request();
    requested_guide.email = email("guide");
    assert_eq!(visitor.request_guide(requested_guide).await, Ok(()));
    Ok(())
}

/// A refund fails for good.
async fn refund_fails(world: &World, email: &str) -> Result<()> {
    let id = booking(world, email, BookingState::Cancelled, AHEAD);
    let money = Money { minor_units: 75_000, currency_code: "INR".to_owned() };
    world.data.change(&id, |booking| booking.refund_owed = Some(money.clone()));
    let failed = RefundFailed {
        booking_id: id,
        refund_id: new_id::<Refund>(),
        reason: "payment_too_old".to_owned(),
        r#final: true,
        amount: Some(money),
        given_by_bank: None,
    };
    world.append_event(failed).await?;
    Ok(())
}

/// Staff have the address of a booking's payment page mailed.
async fn phone_booking_is_held(world: &World, email: &str) -> Result<()> {
    let id = booking(world, email, BookingState::Held, AHEAD);
    let until: Timestamp = AHEAD.parse()?;
    world.data.change(&id, |booking| booking.held_until_at = Some(to_wire(until)));
    world.data.page_keys.lock().unwrap().insert(id.clone(), format!("key-of-{email}"));
    let booking_id = id.clone();
    world
        .append_event(PaymentPageRequested { booking_id, request_number: 2, renewed: false })
        .await?;
    let code = GetConsentCodeMailResponse {
        email: email.to_owned(),
        code: "482913".to_owned(),
        valid_minutes: 15,
        ..GetConsentCodeMailResponse::default()
    };
    world.data.consent_codes.lock().unwrap().insert((id.clone(), 3), code);
    world.append_event(ConsentCodeRequested { booking_id: id, request_number: 3 }).await?;
    Ok(())
}

/// An address is invited to the practice's staff.
async fn member_is_invited(world: &World, email: &str) -> Result<()> {
    let invitation_id = new_id::<StaffInvitation>();
    let until: Timestamp = AHEAD.parse()?;
    let invitation = GetStaffInvitationResponse {
        email: email.to_owned(),
        role: "admin".to_owned(),
        key: format!("key-of-{email}"),
        expires_at: Some(to_wire(until)),
        ..GetStaffInvitationResponse::default()
    };
    world.data.invitations.lock().unwrap().insert(invitation_id.clone(), invitation);
    world.append_event(StaffInvitationMailRequested { invitation_id, mail_number: 1 }).await?;
    Ok(())
}

/// An account gets a second factor.
async fn account_changes(world: &World, email: &str) -> Result<()> {
    let (notice_id, kind) = (new_id::<AccountNotice>(), "factor_added".to_owned());
    let notice = GetAccountNoticeResponse {
        email: email.to_owned(),
        kind: kind.clone(),
        occurred_at: Some(to_wire("2026-11-20T09:00:00Z".parse()?)),
        ..GetAccountNoticeResponse::default()
    };
    world.data.notices.lock().unwrap().insert(notice_id.clone(), notice);
    world.append_event(AccountNoticeRequested { notice_id, kind }).await?;
    Ok(())
}

/// The mails of a move, after a session, and those without one.
async fn everything_else_happens(world: &World, number: u32) -> Result<()> {
    let email = |what: &str| format!("{what}-{number}@example.org");
    let id = booking(world, &email("completed"), BookingState::Completed, BEFORE);
    world.data.attended.lock().unwrap().insert(id.clone(), vec![1]);
    world.append_event(BookingCompleted { booking_id: id }).await?;
    let id = booking(world, &email("roomless"), BookingState::Confirmed, AHEAD);
    world.append_event(RoomMissing { booking_id: id, session_number: 0 }).await?;
    let id = booking(world, &email("moved"), BookingState::Confirmed, "2026-11-24T05:30:00Z");
    moved(world, id.parse()?, 1, AHEAD).await?;
    let review_id = new_id::<ReviewKind>();
    let review = Review {
        review_id: review_id.clone(),
        name: "Nalini".to_owned(),
        service: "Meditation".to_owned(),
        rating: 5,
        text: "Thank you.".to_owned(),
        created_at: Some(to_wire(BEFORE.parse().unwrap())),
        ..Default::default()
    };
    world.data.reviews.lock().unwrap().insert(review_id.clone(), review);
    world.append_event(ReviewSubmitted { review_id, rating: 5, ..Default::default() }).await?;
    for purpose in CODES {
        let (code_id, user_id) = (new_id::<MailedCode>(), new_id::<Customer>());
        let code = GetCodeMailResponse {
            email: email(purpose),
            code: "482913".to_owned(),
            purpose: purpose.to_owned(),
            valid_minutes: 60,
            ..Default::default()
        };
        world.data.codes.lock().unwrap().insert(code_id.clone(), code);
        world.append_event(CodeRequested { code_id, user_id, purpose: purpose.to_owned() }).await?;
    }
    Ok(())
}

/// The purposes of codes that are mailed.
const CODES: [&str; 7] = [
    "signup",
    "recovery",
    "magiclink",
    "invite",
    "email_change_current",
    "email_change_new",
    "reauthentication",
];

#[tokio::test]
async fn after_a_day_without_a_mail_server_every_mail_arrives_once() -> Result<()> {
    let wanted =
        |practice: &str| practice.replace("second_reminder_hours = 0", "second_reminder_hours = 2");
    let world = World::with(wanted).await?;
    let visitor = Visitor::new(&world).await?;
    // Two confirmations of a release before promised a link, which comes during the outage.
    let online: Vec<_> = (0..2).map(|_| world.booking(SessionMode::Online)).collect();
    for id in &online {
        begins(&world, &id.to_string(), AHEAD);
        world.confirmed(*id).await?;
    }
    until_within(PATIENCE, "they have left", async || {
        let sent = states(&world).await?.get("sent").copied().unwrap_or_default();
        Ok((sent == 4).then_some(()))
    })
    .await?;
    world.owe_links().await?;

    let refusing = json!({ "target": "smtp_connect", "kind": "refuse", "status": 421, "times": 0 });
    world.order_fault(refusing).await?;
    for id in &online {
        world.meeting_scheduled(*id).await?;
    }
    for number in 0..4 {
        everything_happens(&world, &visitor, number).await?;
    }
    world.until_taken_in().await?;
    for hours in [0, 1, 4, 8, 12, 16, 20, 23] {
        if hours == 12 {
            // From noon on the server doesn't answer at all.
            world.clear_faults().await?;
            let gone = json!({ "target": "smtp_connect", "kind": "drop", "times": 0 });
            world.order_fault(gone).await?;
        }
        world.move_clock_at_once(hours * HOUR + 61).await?;
        until_tried_all(&world).await?;
    }
    assert_eq!(world.inbox().await?.len(), 4, "nothing has arrived in 24 hours");
    let late = states(&world).await?;
    assert!(late["retrying"] >= 60, "{late:?}");

    world.clear_faults().await?;
    for hours in [24, 26, 39] {
        world.move_clock_at_once(hours * HOUR).await?;
        until_tried_all(&world).await?;
    }
    let all = queued(&world).await?;
    let counts = states(&world).await?;
    assert_eq!(counts, BTreeMap::from([("sent".to_owned(), i64::try_from(all.len())?)]));
    let once: BTreeMap<String, usize> = all.into_iter().map(|id| (id, 1)).collect();
    assert_eq!(arrived(&world).await?, once, "each of them, once");
    let kinds: BTreeSet<String> = sqlx::query_scalar("select distinct kind from mails")
        .fetch_all(world.store.pool())
        .await?
        .into_iter()
        .collect();
    assert_eq!(kinds, Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect());
    world.end().await
}

/// Queues so many confirmations, each to another person.
async fn confirm(world: &World, count: usize) -> Result<Vec<String>> {
    let mut mails = Vec::new();
    let mut emails = Vec::new();
    for number in 0..count {
        let email = format!("asha-{number}@example.org");
        let id = booking(world, &email, BookingState::Confirmed, "2026-11-24T05:30:00Z");
        mails.push(NewMail::of_booking(Kind::BookingConfirmed, id.parse()?));
        emails.push(email);
    }
    world.queue(mails).await?;
    Ok(emails)
}

#[tokio::test]
async fn a_mail_server_that_dies_after_taking_a_mail_causes_one_repeat_each_time() -> Result<()> {
    let world = World::new().await?;
    let mut jitter = StdRng::seed_from_u64(0x5ADD_1E55);
    let mut deaths = 0;
    let mut doomed: BTreeMap<String, usize> = BTreeMap::new();
    for number in 0..MAILS {
        if !jitter.random_bool(0.3) {
            continue;
        }
        let email = format!("asha-{number}@example.org");
        for _ in 0..jitter.random_range(1..=2) {
            // It dies before it has accepted the message, or after that and before it answers.
            let after = jitter.random_bool(0.7);
            let kind = if after { "timeout_after_success" } else { "drop" };
            let delay_ms = jitter.random_range(0..30);
            let fault = json!({
                "target": "smtp", "kind": kind, "delay_ms": delay_ms, "recipient": email,
            });
            world.order_fault(fault).await?;
            if after {
                deaths += 1;
                *doomed.entry(email.clone()).or_default() += 1;
            }
        }
    }
    assert!(deaths > 50, "{deaths}");
    let emails = confirm(&world, MAILS).await?;
    for hours in 0..4 {
        world.move_clock_at_once(2 * hours * HOUR).await?;
        until_tried_all(&world).await?;
    }
    assert_eq!(states(&world).await?, BTreeMap::from([("sent".to_owned(), i64::try_from(MAILS)?)]));
    let arrived = arrived(&world).await?;
    let all: BTreeSet<String> = arrived.keys().cloned().collect();
    assert_eq!(all, queued(&world).await?, "none is missing");
    let repeats: usize = arrived.values().map(|times| times - 1).sum();
    assert_eq!(repeats, deaths, "one repeat for each death, with the same Message-ID");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for mail in world.inbox().await? {
        *times.entry(mail["to"][0].as_str().unwrap().to_owned()).or_default() += 1;
    }
    for email in emails {
        let wanted = 1 + doomed.get(&email).copied().unwrap_or_default();
        assert_eq!(times[&email], wanted, "{email}");
    }
    world.end().await
}

/// The service in a runtime of its own, so that it can be stopped like a killed process, at any
/// point.
struct Process {
    runtime: Option<Runtime>,
}

impl Process {
    fn start(world: &World) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.spawn(notifications::run(world.config(), Shutdown::new()));
        Ok(Self { runtime: Some(runtime) })
    }

    /// Stops it, and returns when no task of it is left.
    async fn die(mut self) -> Result<()> {
        let runtime = self.runtime.take().context("it is dead")?;
        let ending = move || runtime.shutdown_timeout(Duration::from_secs(20));
        Ok(tokio::task::spawn_blocking(ending).await?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[tokio::test]
async fn a_process_of_ours_that_dies_anywhere_repeats_only_what_was_on_its_way() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    let mut jitter = StdRng::seed_from_u64(0xDEAD_BEA7);
    let emails = confirm(&world, 300).await?;
    let (mut at_risk, mut deaths, mut ahead) = (0, 0, 0);
    let mut process = Process::start(&world)?;
    while deaths < 6 {
        // A mail server that is slow now and then makes it likelier to die in the middle.
        let email = emails.choose(&mut jitter).context("nobody")?;
        let delay_ms = jitter.random_range(20..200);
        let slow = json!({
            "target": "smtp", "kind": "delay", "delay_ms": delay_ms, "recipient": email,
        });
        world.order_fault(slow).await?;
        let enough = i64::from(deaths) * 40 + jitter.random_range(5..35);
        until_within(PATIENCE, "enough were sent", async || {
            let sent = states(&world).await?.get("sent").copied().unwrap_or_default();
            Ok((sent >= enough).then_some(()))
        })
        .await?;
        process.die().await?;
        deaths += 1;
        at_risk += states(&world).await?.get("sending").copied().unwrap_or_default();
        // As half a minute later: the claims and leases of the dead process have expired.
        world.end_claims().await?;
        ahead += 30;
        world.move_clock_at_once(ahead).await?;
        process = Process::start(&world)?;
    }
    until_tried_all(&world).await?;
    assert_eq!(states(&world).await?, BTreeMap::from([("sent".to_owned(), 300)]));
    let arrived = arrived(&world).await?;
    let all: BTreeSet<String> = arrived.keys().cloned().collect();
    assert_eq!(all, queued(&world).await?, "none is missing");
    let repeats: usize = arrived.values().map(|times| times - 1).sum();
    assert!(i64::try_from(repeats)? <= at_risk, "{repeats} of {at_risk}");
    process.die().await
}
