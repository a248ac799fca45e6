//! The refunds of each booking as rows, and what follows from their sum: the booking's payment
//! state, and what its client is owed. Rows only gain facts, so events may come repeatedly and in
//! any order.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

/// A refund, requested by us or made on the provider's own pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// Our refund id.
    pub refund_id: String,
    /// The provider's id of the refunded payment.
    pub payment_id: String,
    /// The amount in minor units.
    pub minor: i64,
    /// Why, in payments' word; "elsewhere" for one that was made on the provider's pages.
    pub cause: String,
    /// The refund in whose place it was requested.
    pub renews: Option<String>,
}

/// The failure of a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Our refund id.
    pub refund_id: String,
    /// Why, in payments' word.
    pub reason: String,
    /// Whether it is not requested again by itself.
    pub is_final: bool,
    /// How much of it the payer's bank gave by a dispute; `None` where an old event does not say.
    pub bank_minor: Option<i64>,
}

/// Records a requested refund.
pub async fn requested(
    tx: &mut Tx,
    id: Id<Booking>,
    (refund, at): (&Refund, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into booking_refunds (refund_id, booking_id, payment_id, minor, cause,
                                      renews_refund_id, requested_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (refund_id) do update
         set payment_id = excluded.payment_id, minor = excluded.minor, cause = excluded.cause,
             renews_refund_id = excluded.renews_refund_id, requested_at = excluded.requested_at",
    )
    .bind(&refund.refund_id)
    .bind(id)
    .bind(&refund.payment_id)
    .bind(refund.minor)
    .bind(&refund.cause)
    .bind(&refund.renews)
    .bind(at)
    .execute(tx.connection())
    .await?;
    settle(tx, id).await
}

/// Records a processed refund.
pub async fn processed(
    tx: &mut Tx,
    id: Id<Booking>,
    (refund_id, at): (&str, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into booking_refunds (refund_id, booking_id, processed, processed_at)
         values ($1, $2, true, $3)
         on conflict (refund_id) do update
         set processed = true, processed_at = excluded.processed_at",
    )
    .bind(refund_id)
    .bind(id)
    .bind(at)
    .execute(tx.connection())
    .await?;
    settle(tx, id).await
}

/// Records a failed refund.
pub async fn failed(
    tx: &mut Tx,
    id: Id<Booking>,
    (failure, at): (&Failure, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into booking_refunds (refund_id, booking_id, failed_at, reason, is_final,
                                      bank_minor)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (refund_id) do update
         set failed_at = excluded.failed_at, reason = excluded.reason,
             is_final = excluded.is_final, bank_minor = excluded.bank_minor",
    )
    .bind(&failure.refund_id)
    .bind(id)
    .bind(at)
    .bind(&failure.reason)
    .bind(failure.is_final)
    .bind(failure.bank_minor)
    .execute(tx.connection())
    .await?;
    settle(tx, id).await
}

/// How each refund stands, in minor units: what is `back`, what is still to `come`, and what is
/// `owed` because it failed for good. A refund that another one renews counts with that one, and
/// what the payer's bank gave is back. A rest that is too small for the provider is not owed, and
/// keeps nothing open (`small`). The third failure in a row is final, also where an event of
/// before does not say so.
///
/// Of the payment that the booking stands on, or of all while it stands on none: one that takes
/// place is refunded when all of its money is back; of one that is over, what was promised. A
/// refund of the staff's that came after a failure pays what is owed, and no more of the booking's
/// payment is owed than is left of it.
const SETTLE: &str = "
    with recursive tries as (
        select refund_id, 1 as try from booking_refunds
        where booking_id = $1 and renews_refund_id is null
        union all
        select r.refund_id, t.try + 1 from tries t
        join booking_refunds r on r.renews_refund_id = t.refund_id
    ),
    refunds as (
        select r.*,
               coalesce(r.bank_minor,
                        case when r.reason = 'lost_to_a_dispute' then r.minor else 0 end) as bank,
               r.is_final or r.reason = 'payment_too_old' or coalesce(t.try, 1) >= 3 as is_over,
               exists (select from booking_refunds n where n.renews_refund_id = r.refund_id)
                   as is_renewed,
               r.reason in ('overtaken', 'lost_to_a_dispute', 'below_the_least') as is_replaced
        from booking_refunds r left join tries t using (refund_id)
        where r.booking_id = $1 and r.requested_at is not null
    ),
    standing as (
        select refund_id, payment_id, cause, requested_at, failed_at, bank,
               case when processed then minor else bank end as back,
               case when processed or is_renewed or is_replaced
                        or (failed_at is not null and cause = 'elsewhere') then 0
                    when failed_at is null or not is_over then minor else 0 end as come,
               case when processed or is_renewed or is_replaced then 0
                    when failed_at is not null and is_over then minor - bank else 0 end as owed,
               case when not processed and reason = 'below_the_least' then minor else 0 end as small
        from refunds
    ),
    of_booking as (
        select b.booking_id, b.payment_state, b.payment_id, b.promised_minor,
               coalesce(b.paid_minor, b.price_minor) as brought,
               b.state = 'paid_unplaced'
                   or (b.state = 'cancelled' and b.promised_minor is distinct from 0) as gives_back
        from bookings b where b.booking_id = $1
    ),
    sums as (
        select coalesce(sum(s.back), 0) as back, coalesce(sum(s.come + s.owed), 0) as going,
               coalesce(sum(s.bank), 0) as bank, coalesce(sum(s.small), 0) as small,
               coalesce(sum(s.back + s.come)
                        filter (where s.cause <> 'cancelled'), 0) as otherwise,
               (array_agg(s.refund_id order by s.requested_at desc, s.refund_id desc)
                filter (where s.back + s.come > 0))[1] as refund_id
        from of_booking b join standing s on b.payment_id is null or s.payment_id = b.payment_id
    ),
    failed as (
        select coalesce(sum(s.owed), 0) as owed,
               coalesce(sum(s.owed) filter (where s.payment_id is distinct from b.payment_id), 0)
                   as of_others,
               greatest(0, b.brought - coalesce(
                   sum(s.back + s.come) filter (where s.payment_id = b.payment_id), 0)) as here
        from of_booking b left join standing s on true
        group by b.brought
    ),
    debt as (
        select least(f.of_others + f.here, greatest(0, f.owed - coalesce(
                   (select sum(l.back + l.come) from standing l
                    where l.cause in ('staff', 'elsewhere')
                      and l.requested_at > (select min(failed_at) from standing where owed > 0)),
                   0))) as owed
        from failed f
    ),
    settled as (
        select b.booking_id, sums.refund_id, sums.bank, sums.otherwise, debt.owed,
               case when sums.back + sums.going = 0 then null
                    when b.payment_id is null
                        then case when sums.going > 0 then 'refunding' else 'refunded' end
                    when sums.back >= b.brought then 'refunded'
                    when sums.back + sums.going >= b.brought then 'refunding'
                    when b.gives_back and sums.going > 0 then 'refunding'
                    when b.gives_back
                         and sums.back + sums.small >= least(b.brought, b.promised_minor)
                        then 'refunded'
                    else null end as word
        from of_booking b cross join sums cross join debt
    )
    update bookings b
    set payment_state = n.word, owed_minor = n.owed, bank_minor = n.bank,
        otherwise_minor = n.otherwise, refund_id = n.refund_id, version = version + 1
    from (
        select booking_id, owed, bank, otherwise,
               case when word is null then null else refund_id end as refund_id,
               coalesce(word,
                        (select case when payment_state in ('refunding', 'refunded')
                                     then case when payment_id is null then 'pending'
                                               else 'paid' end
                                     else payment_state end
                         from of_booking)) as word
        from settled) n
    where b.booking_id = n.booking_id
      and (b.payment_state, b.owed_minor, b.bank_minor, b.otherwise_minor, b.refund_id)
          is distinct from (n.word, n.owed, n.bank, n.otherwise, n.refund_id)";

/// Notes what became of a state of before the upgrade, which reads all events again. What happened
/// after it is no mend, and changes the note no more.
const NOTE_MENDED: &str = "
    update payment_states_before n
    set mended_to = b.payment_state
    from bookings b
    where n.booking_id = $1 and b.booking_id = $1
      and n.mended_to is distinct from b.payment_state
      and not exists (select from booking_refunds r
                      where r.booking_id = $1
                        and greatest(r.requested_at, r.processed_at, r.failed_at) > n.noted_at)";

/// Makes the booking's payment state follow the sum of its refunds.
pub async fn settle(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    for sql in [SETTLE, NOTE_MENDED] {
        sqlx::query(sql).bind(id).execute(tx.connection()).await?;
    }
    Ok(())
}

/// What of a booking's money went back, for its page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// What went back, in minor units.
    pub back: i64,
    /// What is on its way, in minor units.
    pub coming: i64,
    /// When the last of that was requested.
    pub requested_at: Option<Timestamp>,
}

/// The refunds of a booking, added up for its page. No more of the booking's payment is to come
/// than is left of it: what failed and would be asked for again, another refund may have given
/// since.
pub async fn shown(executor: impl PgExecutor<'_>, id: Id<Booking>) -> Result<Shown, StoreError> {
    let row = sqlx::query(
        "with of_booking as (
             select payment_id, coalesce(paid_minor, price_minor) as brought
             from bookings where booking_id = $1),
         refunds as (
             select minor, processed, requested_at,
                    coalesce(payment_id = (select payment_id from of_booking), false) as is_own,
                    coalesce(bank_minor,
                             case when reason = 'lost_to_a_dispute' then minor else 0 end) as bank,
                    not processed
                        and (failed_at is null
                             or not (is_final or cause = 'elsewhere'
                                     or reason in ('payment_too_old', 'overtaken',
                                                   'lost_to_a_dispute')))
                        and not exists (select from booking_refunds n
                                        where n.renews_refund_id = r.refund_id) as is_coming
             from booking_refunds r where booking_id = $1 and requested_at is not null)
         select coalesce(sum(minor) filter (where processed), 0)::bigint as back,
                (coalesce(sum(minor) filter (where is_coming and not is_own), 0)
                 + least(coalesce(sum(minor) filter (where is_coming and is_own), 0),
                         greatest(0, (select brought from of_booking) - coalesce(
                             sum(case when processed then minor else bank end)
                             filter (where is_own), 0))))::bigint as coming,
                max(requested_at) filter (where is_coming) as requested_at
         from refunds",
    )
    .bind(id)
    .fetch_one(executor)
    .await?;
    Ok(Shown {
        back: row.try_get("back")?,
        coming: row.try_get("coming")?,
        requested_at: row.try_get("requested_at")?,
    })
}
