//! The checker finds defects in real stores: changes of a copied snapshot, and a superuser's
//! changes of the databases.

#![expect(clippy::indexing_slicing, reason = "a clean run leaves something of everything")]

use anyhow::Result;
use checker::snapshot::{Ack, Snapshot};
use checker::{Invariant, Violation, check};
use sqlx::Executor as _;
use system::Practice;
use system::practice::RAISED_LIMITS;
use system::saga::{Plan, SagaRunner};
use testkit::until;

/// A change that breaks a snapshot.
type Tamper = fn(&mut Snapshot);

#[tokio::test(flavor = "multi_thread")]
async fn tampering_is_found() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let runner = SagaRunner::new(&practice).await?;
    let plans = [Plan::Answered, Plan::WebhookOnly, Plan::LateAndTaken, Plan::PaidTwice];
    runner.run_all(&plans).await?;
    practice.check().await?;
    // A refund that is still open explains money that is missing in the provider's book.
    let clean = until("the refunds have ended", async || {
        let all = practice.snapshot().await?;
        Ok(all.payments.refunds.iter().all(|it| it.state == "processed").then_some(all))
    })
    .await?;
    for (invariant, what, tamper) in TAMPERINGS {
        let mut copy = clean.clone();
        tamper(&mut copy);
        let found = check(&copy);
        assert!(reports(&found, invariant), "{what} was not seen by {invariant:?}: {found:#?}");
    }
    for (invariant, service, sql) in SUPERUSER_CHANGES {
        let mut superuser = practice.database(service).await?;
        superuser.execute(sql).await?;
        let found = check(&practice.snapshot().await?);
        assert!(reports(&found, invariant), "{sql} was not seen by {invariant:?}: {found:#?}");
    }
    Ok(())
}

fn reports(found: &[Violation], invariant: Invariant) -> bool {
    found.iter().any(|violation| violation.invariant == invariant)
}

/// Changes of a snapshot that break each invariant.
const TAMPERINGS: [(Invariant, &str, Tamper); 12] = [
    (Invariant::I1, "a webhook that was acknowledged and is not kept", |all| {
        let event_id = "evt_nowhere".to_owned();
        all.acks.push(Ack::Webhook { event_id, body_sha256: vec![1] });
    }),
    (Invariant::I1, "a booking that was acknowledged and is not stored", |all| {
        all.acks.push(Ack::Requested(eventstore::new_id()));
    }),
    (Invariant::I2, "a time that is taken twice", |all| {
        let mut again = all.booking.reservations.clone();
        again.retain(|row| row.live);
        for row in &mut again {
            let booking_id = eventstore::new_id();
            row.holder = checker::snapshot::Holder::Booking(booking_id);
        }
        all.booking.reservations.extend(again);
    }),
    (Invariant::I3, "a refund that the provider does not know", |all| {
        all.provider.refunds.clear();
    }),
    (Invariant::I4, "a refund that was made twice", |all| {
        let mut again = all.provider.refunds.clone();
        for refund in &mut again {
            refund.provider_refund_id.push_str("again");
        }
        all.provider.refunds.extend(again);
    }),
    (Invariant::I5, "money that the provider never captured", |all| {
        for payment in &mut all.provider.payments {
            payment.captured_at = None;
            "failed".clone_into(&mut payment.status);
        }
    }),
    (Invariant::I6, "a mail that was sent and is not there", |all| {
        all.inbox.remove(0);
    }),
    (Invariant::I6, "a mail that came twice", |all| {
        all.mail_repeats_injected = 0;
        all.inbox.push(all.inbox[0].clone());
    }),
    (Invariant::I7, "a confirmed booking that nobody will end", |all| {
        all.booking.log.timers.clear();
    }),
    (Invariant::I8, "an event that is gone", |all| {
        all.booking.log.events.remove(2);
    }),
    (Invariant::I8, "two events with one position", |all| {
        all.payments.log.events[1].position = all.payments.log.events[0].position;
    }),
    (Invariant::I9, "a row that is not what its events say", |all| {
        for row in &mut all.booking.bookings {
            "expired".clone_into(&mut row.state);
        }
    }),
];

/// Changes that only a superuser can make, applied one after the other.
const SUPERUSER_CHANGES: [(Invariant, &str, &str); 6] = [
    (Invariant::I9, "payments", "update collections set state = 'refunded' where state = 'paid'"),
    (Invariant::I6, "notifications", "delete from mails where kind = 'booking_confirmed'"),
    (Invariant::I7, "booking", "delete from timers where kind = 'session-end'"),
    (Invariant::I8, "booking", "delete from feed where position = 3"),
    (
        Invariant::I2,
        "booking",
        "alter table slot_reservations drop constraint slots_do_not_overlap;
         insert into slot_reservations
             (booking_id, practitioner_id, starts_at, ends_at, held_until_at, live)
         select gen_random_uuid(), practitioner_id, starts_at + interval '10 minutes',
                ends_at, held_until_at, live
         from slot_reservations where live",
    ),
    (
        Invariant::I1,
        "booking",
        "alter table events disable trigger all; alter table feed disable trigger all;
         delete from feed where seq in
             (select seq from events where event_type = 'booking.v1.BookingRequested');
         delete from events where event_type = 'booking.v1.BookingRequested'",
    ),
];
