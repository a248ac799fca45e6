//! Queries the reconciliation exceptions: orders, payments and settlements that nothing explains.
//! Each reason is a query over the tables, so a row disappears once its cause is resolved.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgExecutor, Row as _};

use crate::domain::fact::Amount;
use crate::domain::settlement::Break;

mod desk;
mod disputes;
mod links;

kernel::words! {
    /// Why something is in the list.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Reason {
        /// Money was authorised long ago and never captured.
        AuthorizedLong = "AUTHORIZED_LONG",
        /// Money is here without a placed booking.
        CapturedNotPlaced = "CAPTURED_NOT_PLACED",
        /// A booking was confirmed on the client's claim, and its money is not verified.
        ConfirmedWithoutMoney = "CONFIRMED_WITHOUT_MONEY",
        /// Money is here that does not match its order.
        Mismatched = "MISMATCHED",
        /// The creation of an order had no answer.
        OrderOutcomeUnknown = "ORDER_OUTCOME_UNKNOWN",
        /// The provider reports an unknown order.
        OrderUnknown = "ORDER_UNKNOWN",
        /// The provider has captured money that belongs to no order of ours.
        PaymentUnknown = "PAYMENT_UNKNOWN",
        /// The receipt of a placed booking's money cannot be issued.
        ReceiptRefused = "RECEIPT_REFUSED",
        /// A refund came to nothing.
        RefundFailed = "REFUND_FAILED",
        /// The provider does not take a refund.
        RefundNotTaken = "REFUND_NOT_TAKEN",
        /// A refund is under way for long.
        RefundPendingLong = "REFUND_PENDING_LONG",
        /// Money was refunded externally, and its booking is still confirmed.
        RefundedElsewhere = "REFUNDED_ELSEWHERE",
        /// A settlement does not match our ledger.
        SettlementBreak = "SETTLEMENT_BREAK",
        /// Captured money has not been paid out.
        NotSettled = "NOT_SETTLED",
        /// A webhook could not be folded.
        WebhookNotFolded = "WEBHOOK_NOT_FOLDED",
        /// A bank disputes a payment, and the practice has to answer.
        DisputeOpen = "DISPUTE_OPEN",
        /// A dispute took the money.
        DisputeLost = "DISPUTE_LOST",
        /// A refund waits for the end of a dispute.
        RefundHeld = "REFUND_HELD",
        /// A payment link that should take no money could not be cancelled.
        LinkNotClosed = "LINK_NOT_CLOSED",
        /// Money that was paid at the desk is to be given back there.
        OwedAtDesk = "OWED_AT_DESK",
    }
}

impl Reason {
    /// The same in a sentence for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::AuthorizedLong => {
                "A payment was authorised more than a day ago, and the provider did not capture it."
            }
            Self::CapturedNotPlaced => "The money is here, and no booking stands for it.",
            Self::ConfirmedWithoutMoney => {
                "The customer's word was taken, and no money has been verified since."
            }
            Self::Mismatched => "Money came that does not match its order, and it is not back yet.",
            Self::OrderOutcomeUnknown => "The provider was asked for an order and never answered.",
            Self::OrderUnknown => "The provider tells of an order that we do not know.",
            Self::PaymentUnknown => {
                "The provider captured money that belongs to none of our orders."
            }
            Self::ReceiptRefused => "The receipt of this payment cannot be issued.",
            Self::RefundFailed => "A refund failed, and the money is still here.",
            Self::RefundNotTaken => "The provider does not take a refund.",
            Self::RefundPendingLong => "A refund has been under way for more than a week.",
            Self::RefundedElsewhere => {
                "Somebody gave the money back on the provider's pages, and the booking stands."
            }
            Self::SettlementBreak => "A settlement does not fit our books.",
            Self::NotSettled => {
                "The provider captured this money a week ago and has not paid it out."
            }
            Self::WebhookNotFolded => "What a webhook of the provider tells cannot be taken in.",
            Self::DisputeOpen => {
                "The client's bank disputes this payment. Answer on the provider's pages in time, \
                 or the money is lost."
            }
            Self::DisputeLost => "The client's bank has taken this money back by a dispute.",
            Self::RefundHeld => {
                "A refund waits, because the client's bank disputes the same payment."
            }
            Self::LinkNotClosed => {
                "A payment link that should take no money could not be cancelled. Cancel it on the \
                 provider's pages."
            }
            Self::OwedAtDesk => "This was paid at the desk. Give it back there, and record that.",
        }
    }

    /// The query of its rows: booking, order, payment, amount, currency, since, and the break.
    fn query(self) -> &'static str {
        match self {
            Self::AuthorizedLong => AUTHORIZED_LONG,
            Self::CapturedNotPlaced => CAPTURED_NOT_PLACED,
            Self::ConfirmedWithoutMoney => CONFIRMED_WITHOUT_MONEY,
            Self::Mismatched => MISMATCHED,
            Self::OrderOutcomeUnknown => ORDER_OUTCOME_UNKNOWN,
            Self::OrderUnknown => ORDER_UNKNOWN,
            Self::PaymentUnknown => PAYMENT_UNKNOWN,
            Self::ReceiptRefused => RECEIPT_REFUSED,
            Self::RefundFailed => REFUND_FAILED,
            Self::RefundNotTaken => REFUND_NOT_TAKEN,
            Self::RefundPendingLong => REFUND_PENDING_LONG,
            Self::RefundedElsewhere => REFUNDED_ELSEWHERE,
            Self::SettlementBreak => SETTLEMENT_BREAK,
            Self::NotSettled => NOT_SETTLED,
            Self::WebhookNotFolded => WEBHOOK_NOT_FOLDED,
            Self::DisputeOpen => disputes::OPEN,
            Self::DisputeLost => disputes::LOST,
            Self::RefundHeld => disputes::REFUND_HELD,
            Self::LinkNotClosed => links::NOT_CLOSED,
            Self::OwedAtDesk => desk::OWED,
        }
    }
}

/// Failed refunds whose money was not refunded otherwise since. An overtaken refund is not one of
/// them, because its money was refunded already.
const FAILED: &str = "ended_refunds as (
    select r.*, c.order_id, coalesce(e.recorded_at, r.requested_at) as failed_at
    from refunds r
    join collections c using (booking_id)
    left join ledger_entries e
        on e.cause = 'refund rfn_' || replace(r.refund_id::text, '-', '') || ' failed'
    where r.state = 'failed' and r.cause <> 'elsewhere'
      and not exists (select from refunds n where n.renews_refund_id = r.refund_id)
      and not exists (
          select from events v
          where v.stream_id = 'collection-' || r.booking_id
            and v.event_type = 'payments.v1.RefundFailed'
            and v.payload ->> 'refundId' = 'rfn_' || replace(r.refund_id::text, '-', '')
            and v.payload ->> 'reason' = 'overtaken')),
failed_refunds as (
    select f.* from ended_refunds f
    where f.amount_minor - f.given_minor > (
        select coalesce(sum(n.amount_minor), 0) from refunds n
        where n.payment_id = f.payment_id and n.state <> 'failed'
          and n.requested_at >= f.failed_at)
      and exists (
        select from ledger_entries e join ledger_lines l using (entry_id)
        where e.payment_id = f.payment_id
          and l.account in ('customer_advance', 'suspense', 'revenue', 'retained')
        having sum(l.amount_minor) <> 0))";

/// The first query names the columns of all.
const AUTHORIZED_LONG: &str = "
    select p.booking_id, c.order_id, p.payment_id, p.amount_minor, p.amount_currency,
           p.seen_at as since, null::text as broken
    from payments p join collections c using (booking_id)
    where p.status = 'authorized' and p.seen_at < clock_now() - interval '1 day'";

/// Bookings that were announced before their state was stored are left out.
const CAPTURED_NOT_PLACED: &str = "
    select b.booking_id, c.order_id, b.payment_id, -b.amount_minor, b.amount_currency, b.since,
           null::text
    from open_balances b
    join collections c using (booking_id)
    left join known_bookings k using (booking_id)
    where b.account = 'customer_advance' and b.amount_minor < 0
      and (k.booking_id is null or k.state is not null and k.state <> 'confirmed')
      and not exists (select from failed_refunds f where f.payment_id = b.payment_id)";

const CONFIRMED_WITHOUT_MONEY: &str = "
    select c.booking_id, c.order_id, null::text, c.amount_minor, c.amount_currency,
           coalesce((select min(v.recorded_at) from events v
                     where v.stream_id = 'collection-' || c.booking_id
                       and v.event_type = 'payments.v1.PaymentClaimed'), c.opened_at), null::text
    from unpaid_bookings
    join collections c using (booking_id)
    join known_bookings k using (booking_id)
    where k.state in ('confirmed', 'completed') and c.verified_payment_id is null";

/// A broken settlement is reported by its own reason.
const MISMATCHED: &str = "
    select p.booking_id, max(c.order_id), p.payment_id,
           -sum(b.amount_minor - b.settled_minor)::bigint, b.amount_currency, min(b.since),
           null::text
    from open_balances b
    join payments p using (payment_id)
    join collections c on c.booking_id = p.booking_id
    where p.counted is distinct from 'verified' and b.account in ('suspense', 'refunds_payable')
      and not exists (select from failed_refunds f where f.payment_id = p.payment_id)
    group by p.booking_id, p.payment_id, b.amount_currency
    having sum(b.amount_minor - b.settled_minor) <> 0";

const ORDER_OUTCOME_UNKNOWN: &str = "
    select booking_id, null::text, null::text, amount_minor, amount_currency, opened_at, null::text
    from collections
    where order_id is null and ordering_turns > 0
      and order_absent_turn is distinct from ordering_turns";

const ORDER_UNKNOWN: &str = "
    select null::uuid, w.waits_for_order_id, min(w.payment_id), null::bigint, null::text,
           min(w.received_at), null::text
    from webhook_inbox w
    where w.waits_for_order_id is not null and w.folded_at is null
      and not exists (select from unknown_payments u where u.order_id = w.waits_for_order_id)
    group by w.waits_for_order_id";

const PAYMENT_UNKNOWN: &str = "
    select null::uuid, order_id, payment_id, amount_minor, amount_currency, seen_at, null::text
    from unknown_payments where explained_at is null";

/// Its timer is tried again every hour, and ends when the receipt is issued or not due any more.
const RECEIPT_REFUSED: &str = "
    select c.booking_id, c.order_id, c.verified_payment_id, c.amount_minor, c.amount_currency,
           p.seen_at, null::text
    from timers t
    join collections c on c.booking_id = replace(t.subject, 'bkg_', '')::uuid
    join payments p on p.payment_id = c.verified_payment_id
    where t.kind = 'issue-receipt' and t.payload ->> 'refused' is not null
      and not exists (select from receipts r where r.payment_id = c.verified_payment_id)";

const REFUND_FAILED: &str = "
    select booking_id, order_id, payment_id, amount_minor - given_minor, amount_currency, failed_at,
           null::text
    from failed_refunds";

const REFUND_NOT_TAKEN: &str = "
    select r.booking_id, c.order_id, r.payment_id, r.amount_minor, r.amount_currency,
           r.requested_at, null::text
    from refunds r join collections c using (booking_id)
    where r.state = 'requested' and not r.held and r.provider <> 'desk'";

const REFUND_PENDING_LONG: &str = "
    select r.booking_id, c.order_id, r.payment_id, r.amount_minor, r.amount_currency,
           r.requested_at, null::text
    from refunds r join collections c using (booking_id)
    where r.state = 'accepted' and r.requested_at < clock_now() - interval '7 days'";

const REFUNDED_ELSEWHERE: &str = "
    select r.booking_id, c.order_id, r.payment_id, r.amount_minor, r.amount_currency,
           r.requested_at, null::text
    from refunds r
    join collections c using (booking_id)
    join known_bookings k using (booking_id)
    where r.cause = 'elsewhere' and r.state in ('accepted', 'processed')
      and r.payment_id = c.verified_payment_id and k.state = 'confirmed'";

const SETTLEMENT_BREAK: &str = "
    select e.booking_id, c.order_id, coalesce(s.payment_id, s.entity_id),
           s.credit_minor - s.debit_minor, s.amount_currency, s.seen_at, s.broken
    from settlement_lines s
    left join ledger_entries e on e.cause = 'captured ' || s.payment_id
    left join collections c on c.booking_id = e.booking_id
    where s.broken is not null
    union all
    select null, null, settlement_id, amount_minor, 'INR', seen_at, broken
    from settlements where broken is not null";

/// The provider holds what was captured less what is refunded and was paid out. A broken line about
/// it is reported by its own reason.
const NOT_SETTLED: &str = "
    select (array_agg(b.booking_id) filter (where b.booking_id is not null))[1], max(c.order_id),
           b.payment_id, sum(b.amount_minor)::bigint, b.amount_currency, min(b.since), null::text
    from open_balances b
    left join collections c using (booking_id)
    where b.account in ('provider_clearing', 'refunds_payable')
      and not exists (select from settlement_lines s
                      where s.payment_id = b.payment_id and s.broken is not null)
    group by b.payment_id, b.amount_currency
    having sum(b.amount_minor) > 0
       and not exists (select from disputes d where d.payment_id = b.payment_id
                       and d.state in ('open', 'under_review', 'action_required'))
       and min(b.since) < clock_now() - interval '7 days'";

/// A webhook that waits for an unknown order is reported as that order.
const WEBHOOK_NOT_FOLDED: &str = "
    select null::uuid, null::text, coalesce(payment_id, event_id), null::bigint, null::text,
           received_at, null::text
    from webhook_inbox
    where folded_at is null and waits_for_order_id is null
      and received_at < clock_now() - interval '1 hour'";

/// A reconciliation exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconciliationException {
    /// Why it is in the list.
    pub reason: Reason,
    /// The same in a sentence for people.
    pub explanation: String,
    /// The booking, if it is about one.
    pub booking_id: Option<Id<Booking>>,
    /// The provider's order, if it is about one.
    pub order_id: Option<String>,
    /// The provider's payment, or what else of the provider's it is about.
    pub payment_id: Option<String>,
    /// The money in question, if that is known.
    pub amount: Option<Amount>,
    /// Since when.
    pub since: Timestamp,
    /// Until when a person has to act, where there is such a day.
    pub respond_by: Option<Timestamp>,
}

impl ReconciliationException {
    /// What it is named by beside its reason: its payment, else its order, else its booking.
    #[must_use]
    pub fn subject(&self) -> String {
        let booking = || self.booking_id.map(|id| id.to_string());
        let named = self.payment_id.clone().or_else(|| self.order_id.clone()).or_else(booking);
        named.unwrap_or_default()
    }
}

/// All exceptions that staff has not explained, oldest first.
pub async fn find(
    executor: impl PgExecutor<'_>,
) -> Result<Vec<ReconciliationException>, StoreError> {
    let mut sql = format!("with {FAILED}");
    for (number, reason) in Reason::ALL.iter().enumerate() {
        let (joined, question) = (if number == 0 { "" } else { "union all" }, reason.query());
        sql = format!(
            "{sql} {joined} select {number} as number, * from ({question}) as found_{number}"
        );
    }
    // Safe: every part of it is a constant of this module.
    let words: Vec<&str> = Reason::ALL.iter().map(|reason| reason.word()).collect();
    let sql = format!("with found as ({sql}) {NOT_EXPLAINED}");
    // It is asked once in minutes, and its plan would take 7 MiB of each connection for good.
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(words).persistent(false).fetch_all(executor);
    Ok(rows.await?.iter().map(read_exception).collect::<Result<_, _>>()?)
}

/// An explained row comes back if its amount changes.
const NOT_EXPLAINED: &str = "
    select f.*,
           (select min(d.respond_by_at) from disputes d
            where d.payment_id = f.payment_id and d.state in ('open', 'action_required')
              and ($1::text[])[f.number + 1] = 'DISPUTE_OPEN') as respond_by_at
    from found f
    where not exists (
        select from explained_orders e
        where e.reason = ($1::text[])[f.number + 1]
          and e.subject = coalesce(f.payment_id, f.order_id,
                                   'bkg_' || replace(f.booking_id::text, '-', ''), '')
          and e.amount_minor is not distinct from f.amount_minor
          and e.amount_currency is not distinct from f.amount_currency)
    order by f.since";

fn read_exception(row: &PgRow) -> Result<ReconciliationException, sqlx::Error> {
    let number: i32 = row.try_get(0)?;
    let reason = usize::try_from(number).ok().and_then(|number| Reason::ALL.get(number).copied());
    let reason = reason.ok_or(sqlx::Error::RowNotFound)?;
    let broken: Option<String> = row.try_get("broken")?;
    let broken = broken.as_deref().and_then(Break::from_word);
    let minor: Option<i64> = row.try_get("amount_minor")?;
    let currency: Option<String> = row.try_get("amount_currency")?;
    let amount = minor.zip(currency).map(|(minor, currency)| Amount { minor, currency });
    Ok(ReconciliationException {
        reason,
        explanation: broken.map_or(reason.sentence(), Break::sentence).to_owned(),
        booking_id: row.try_get("booking_id")?,
        order_id: row.try_get("order_id")?,
        payment_id: row.try_get("payment_id")?,
        amount,
        since: row.try_get("since")?,
        respond_by: row.try_get("respond_by_at")?,
    })
}

/// Stores a staff member's explanation of a row.
pub async fn explain(
    tx: &mut Tx,
    row: &ReconciliationException,
    explanation: &str,
    by: Id<Customer>,
) -> Result<(), StoreError> {
    let (minor, currency) = row.amount.as_ref().map(|it| (it.minor, it.currency.as_str())).unzip();
    sqlx::query(
        "insert into explained_orders (reason, subject, amount_minor, amount_currency, explanation,
                                       explained_by)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (reason, subject) do update
         set amount_minor = excluded.amount_minor, amount_currency = excluded.amount_currency,
             explanation = excluded.explanation, explained_by = excluded.explained_by,
             explained_at = excluded.explained_at",
    )
    .bind(row.reason.word())
    .bind(row.subject())
    .bind(minor)
    .bind(currency)
    .bind(explanation)
    .bind(by)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Whether this explanation of a row is stored.
pub async fn is_explained(
    executor: impl PgExecutor<'_>,
    reason: Reason,
    (subject, explanation): (&str, &str),
) -> Result<bool, StoreError> {
    let known = sqlx::query_scalar(
        "select exists (select from explained_orders
                        where reason = $1 and subject = $2 and explanation = $3)",
    );
    let known = known.bind(reason.word()).bind(subject).bind(explanation);
    Ok(known.fetch_one(executor).await?)
}
