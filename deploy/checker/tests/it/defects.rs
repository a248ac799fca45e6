//! Each defect that a person plants into the stores of a sound practice is reported as the
//! invariant that it breaks.

use anyhow::{Context as _, Result};
use checker::Invariant;

use crate::kept::{self, Practice};

/// A defect: the invariant that it breaks, what is said of it, and how it is made.
struct Defect {
    invariant: Invariant,
    says: &'static str,
    service: &'static str,
    sql: &'static str,
}

const fn defect(
    invariant: Invariant,
    says: &'static str,
    service: &'static str,
    sql: &'static str,
) -> Defect {
    Defect { invariant, says, service, sql }
}

const DEFECTS: [Defect; 33] = [
    defect(
        Invariant::I2,
        "the rows of",
        "booking",
        "alter table slot_reservations drop constraint slots_do_not_overlap;
         insert into slot_reservations
             (booking_id, practitioner_id, starts_at, ends_at, held_until_at, live)
         select gen_random_uuid(), practitioner_id, starts_at + interval '10 minutes', ends_at,
                held_until_at, live
         from slot_reservations where live limit 1",
    ),
    defect(
        Invariant::I2,
        "was given the time of",
        "booking",
        "insert into events
             (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
         select gen_random_uuid(), stream_id, version + 100, event_type,
                payload || jsonb_build_object('bookingId', 'bkg_00000000000070008000000000000001'),
                metadata, recorded_at
         from events e where event_type = 'booking.v1.SlotBooked' and not exists (
             select from events later where later.stream_id = e.stream_id
                 and later.version > e.version and later.event_type like '%Released')
         limit 1",
    ),
    defect(
        Invariant::I2,
        "and there is no such booking",
        "booking",
        "delete from events where stream_id = (
             select 'booking-' || booking_id from bookings where state = 'meeting_scheduled'
             limit 1)",
    ),
    defect(
        Invariant::I3,
        "is off by",
        "payments",
        "update ledger_lines set amount_minor = amount_minor + 1
         where (entry_id, line) = (select entry_id, line from ledger_lines limit 1)",
    ),
    defect(
        Invariant::I3,
        ", the provider has",
        "payments",
        "delete from ledger_lines where entry_id = (
             select entry_id from ledger_entries where kind = 'captured'
                 and booking_id in (select booking_id from collections where state = 'paid')
             limit 1)",
    ),
    defect(
        Invariant::I2,
        "is offered, and its time is not closed",
        "booking",
        "with entry as (
             insert into waiting_entries
                 (waiting_id, customer_id, service_id, service_title, mode, from_date, until_date,
                  weekdays, day_parts, notice_minutes, first_name, email, joined_at, ends_at, state)
             values (gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 'online',
                     current_date, current_date, '{}', '{}', 0, 'Asha', 'asha@example.org', now(),
                     now(), 'waiting') returning waiting_id, customer_id)
         insert into waiting_offers (offer_id, waiting_id, customer_id, practitioner_id, starts_at,
                                     ends_at, offered_at, held_until_at, state)
         select gen_random_uuid(), waiting_id, customer_id, 'lead', now(), now() + '1 hour', now(),
                now(), 'open' from entry",
    ),
    defect(
        Invariant::I3,
        "is granted and has no refund",
        "payments",
        "insert into refund_requests
             (request_id, booking_id, customer_id, requested_at, answer_by_at, close_by_at, state,
              amount_minor, amount_currency, answer, answered_by, answered_at)
         select gen_random_uuid(), booking_id, customer_id, opened_at, opened_at, opened_at,
                'granted', 100, 'INR', 'Gladly', gen_random_uuid(), opened_at
         from collections where state = 'paid' limit 1",
    ),
    defect(
        Invariant::I3,
        "was cancelled with grace that was used up",
        "booking",
        "with late as (
             select stream_id from events where event_type = 'booking.v1.BookingCancelled'
             order by recorded_at desc limit 2)
         update events set payload = payload || case event_type
             when 'booking.v1.BookingCancelled' then '{\"byGrace\": true}'::jsonb
             else '{\"customerId\": \"usr_00000000000070008000000000000001\",
                    \"cancellationPolicy\": {
                        \"version\": \"1\",
                        \"tiers\": [{\"untilHours\": 24, \"refundPercent\": 100}],
                        \"grace\": {\"times\": 1, \"months\": 6, \"refundPercent\": 100}
                    }}'::jsonb end
         where stream_id in (select stream_id from late)
             and event_type in ('booking.v1.BookingCancelled', 'booking.v1.BookingRequested')",
    ),
    defect(
        Invariant::I3,
        "the ledger's last closing has",
        "payments",
        "insert into ledger_sums (up_to_seq, account, amount_currency, amount_minor)
         select (select max(seq) from ledger_entries), account, amount_currency, sum(amount_minor)
         from ledger_lines group by account, amount_currency
         on conflict do nothing;
         update ledger_sums set amount_minor = amount_minor + 1
         where up_to_seq = (select max(seq) from ledger_entries)
           and account = 'provider_clearing'",
    ),
    defect(Invariant::I4, "where", "payments", "delete from receipts where number = 2"),
    defect(
        Invariant::I4,
        "has 0 receipts",
        "payments",
        "delete from receipts where booking_id = (
             select booking_id from collections where state = 'paid'
                 and booking_id in (select booking_id from receipts)
             order by opened_at limit 1)",
    ),
    defect(
        Invariant::I4,
        "have one order",
        "payments",
        "do $$ declare found text; begin
             for found in select conname from pg_constraint
                 where conrelid = 'collections'::regclass and contype = 'u' loop
                 execute format('alter table collections drop constraint %I', found);
             end loop;
             update collections set order_id = (
                 select order_id from collections where order_id is not null limit 1)
             where booking_id in (
                 select booking_id from collections where order_id is not null limit 2);
         end $$",
    ),
    defect(
        Invariant::I5,
        "payments has not verified it",
        "payments",
        "delete from events where event_id = (
             select event_id from events where event_type = 'payments.v1.PaymentVerified'
             limit 1)",
    ),
    defect(
        Invariant::I4,
        "went back than came",
        "payments",
        "insert into events
             (event_id, stream_id, version, event_type, payload, metadata, recorded_at)
         select gen_random_uuid(), e.stream_id, e.version + 100, 'payments.v1.DisputeObserved',
                jsonb_build_object(
                    'bookingId', e.payload -> 'bookingId', 'provider', 'razorpay',
                    'disputeId', 'disp_00000000000001', 'paymentId', r.payment_id,
                    'phase', 'chargeback', 'state', 'lost', 'reason', 'unknown',
                    'amount', amount.it),
                e.metadata, e.recorded_at
         from refunds r
         join events e on e.stream_id = 'collection-' || r.booking_id
             and e.event_type = 'payments.v1.RefundProcessed',
         lateral (select jsonb_build_object(
             'minorUnits', '9900000', 'currencyCode', r.amount_currency) as it) amount
         where r.state = 'processed' limit 1",
    ),
    defect(
        Invariant::I6,
        "was promised by mail, and the provider never took it",
        "payments",
        "delete from events where event_id in (
             select e.event_id from events e
             join refunds r on e.payload ->> 'refundId'
                 = 'rfn_' || replace(r.refund_id::text, '-', '')
             where e.event_type = 'payments.v1.RefundAccepted' and r.cause <> 'elsewhere')",
    ),
    defect(
        Invariant::I9,
        "the payment state of bkg_",
        "booking",
        "update bookings set payment_state = 'paid' where payment_state = 'refunded'",
    ),
    defect(
        Invariant::I6,
        "was never queued",
        "notifications",
        "delete from mails where mail_id = (
             select mail_id from mails where kind = 'booking_confirmed'
             order by queued_at limit 1)",
    ),
    defect(
        Invariant::I6,
        "review_notice of",
        "notifications",
        "delete from mails where kind = 'review_notice'",
    ),
    defect(
        Invariant::I6,
        "was dropped, and is owed",
        "notifications",
        "update mails set state = 'dropped', sent_at = null, last_error = 'overtaken'
         where kind = 'refund_done' and state = 'sent'",
    ),
    defect(
        Invariant::I7,
        "no timer is left for session-end",
        "booking",
        "delete from timers where kind = 'session-end'",
    ),
    defect(
        Invariant::I7,
        "was due at",
        "payments",
        "insert into timers (kind, subject, due_at)
         values ('refund', 'rfn_00000000000070008000000000000001', now() - interval '10 years')",
    ),
    defect(
        Invariant::I7,
        "is behind at 1",
        "notifications",
        "update checkpoints set position = 1 where consumer = 'notifications-on-booking'",
    ),
    defect(
        Invariant::I7,
        "no timer is left for fold-webhook",
        "payments",
        "update webhook_inbox set folded_at = null
         where event_id = (select event_id from webhook_inbox limit 1)",
    ),
    defect(Invariant::I8, "the feed has", "booking", "delete from feed where position = 3"),
    defect(
        Invariant::I8,
        "can never be seen by others",
        "identity",
        "delete from feed where position = (select max(position) from feed)",
    ),
    defect(
        Invariant::I8,
        "where 2 belongs",
        "booking",
        "delete from feed where seq in (select seq from events where version = 2);
         delete from events where version = 2",
    ),
    defect(
        Invariant::I8,
        "of a feed that ends at",
        "payments",
        "update checkpoints set position = position + 100000 where source = 'booking'",
    ),
    defect(
        Invariant::I8,
        "cannot be read",
        "payments",
        "update events set event_type = 'payments.v1.Other' where event_id = (
             select event_id from events where stream_id like 'collection-%' limit 1)",
    ),
    defect(
        Invariant::I9,
        "the row of bkg_",
        "booking",
        "update bookings set state = 'expired'
         where booking_id = (select booking_id from bookings where state = 'completed' limit 1)",
    ),
    defect(
        Invariant::I9,
        "a row has",
        "booking",
        "insert into slot_reservations (block_id, practitioner_id, starts_at, ends_at, live)
         values (gen_random_uuid(), 'lead', '2099-01-01 10:00Z', '2099-01-01 11:00Z', true)",
    ),
    defect(
        Invariant::I9,
        "and was told as None",
        "notifications",
        "delete from events where event_id = (
             select event_id from events where event_type = 'notifications.v1.MailSent'
                 and payload ->> 'kind' = 'MAIL_KIND_BOOKING_CONFIRMED' limit 1)",
    ),
    // The practice could not hold it, and it counts as held.
    defect(
        Invariant::I3,
        "counts as held, and the practice could not hold it",
        "booking",
        "update events e set event_type = 'booking.v1.BookingMoveProposed',
                payload = payload || jsonb_build_object('sessionNumber', 1, 'proposalNumber', 1,
                    'startsAt', '2026-11-24T05:30:00Z', 'chooseUntilAt', '2026-11-24T05:30:00Z')
         where event_id = (
             select m.event_id from events m
             join bookings b on m.stream_id = 'booking-' || b.booking_id
             where m.event_type = 'booking.v1.MeetingScheduled' and b.state = 'completed'
                 and b.package_id is null limit 1)",
    ),
    // Nothing goes back by itself without a timer.
    defect(
        Invariant::I7,
        "no timer is left for proposal-end",
        "booking",
        "update events e set event_type = 'booking.v1.BookingMoveProposed',
                payload = payload || jsonb_build_object('sessionNumber', 1, 'proposalNumber', 1,
                    'startsAt', '2026-11-24T05:30:00Z', 'chooseUntilAt', '2026-11-24T05:30:00Z')
         where event_id = (
             select m.event_id from events m
             join bookings b on m.stream_id = 'booking-' || b.booking_id
             where m.event_type = 'booking.v1.MeetingScheduled' and b.state = 'meeting_scheduled'
             limit 1)",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_defect_is_reported() -> Result<()> {
    let folder = kept::all()?.pop().context("no practice was kept")?;
    let sound = Practice::restore(&folder).await?;
    let mut unseen = Vec::new();
    for Defect { invariant, says, service, sql } in DEFECTS {
        let copy = sound.copy().await?;
        copy.execute(service, sql).await.context(sql)?;
        let report = copy.check().await?;
        if !report.of(invariant).iter().any(|what| what.contains(says)) {
            unseen.push(format!("{sql}\nwas not reported as {invariant:?} {says:?}: {report}"));
        }
    }
    assert!(unseen.is_empty(), "{}", unseen.join("\n\n"));
    Ok(())
}

/// Money that the provider has and we know nothing of, as after a restore of an older copy.
#[tokio::test(flavor = "multi_thread")]
async fn money_that_only_the_provider_knows_is_reported() -> Result<()> {
    let folder = kept::all()?.pop().context("no practice was kept")?;
    let mut practice = Practice::restore(&folder).await?;
    let forget = "delete from events where stream_id like 'collection-%' and stream_id in (
                      select 'collection-' || booking_id from collections where state = 'paid');
                  delete from collections where state = 'paid'";
    practice.execute("payments", forget).await?;
    let report = practice.check_with_provider().await?;
    let says = "was captured for an order of ours that we do not know";
    assert!(report.of(Invariant::I3).iter().any(|what| what.contains(says)), "{report}");
    Ok(())
}
