//! Staff cancel a confirmed booking, for the customer or by the practice's own wish. Its time is
//! free at once; payments gives the money back as far as the event says.

use std::sync::Arc;

use contract::booking::v1::CancelBookingRequest;
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::id::Booking;
use kernel::{Id, Money};
use prost::Message as _;
use runtime::staff::Staff;

use super::idempotent::Key;
use super::placement::carry_out;
use super::request::parse_key;
use super::{Desk, Error, Rejection, refuse};
use crate::contract::{read_cancelled_by, read_refund_wish};
use crate::domain::booking::{Cancellation, Command, Ground, State};
use crate::store::OpenBooking;

/// The call's name beside idempotency keys and in the audit log.
pub const METHOD: &str = "CancelBooking";

/// A booking that was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// Which one.
    pub id: Id<Booking>,
    /// How much goes back at most.
    pub refund: Money,
    /// No money was verified yet; what goes back is what still arrives.
    pub unpaid: bool,
}

/// Cancels it and answers with how much goes back.
///
/// # Errors
/// `NotCancellable` unless it is confirmed and its session has not ended.
pub async fn cancel_booking(
    desk: &Arc<Desk>,
    staff: Staff,
    mut asked: CancelBookingRequest,
) -> Result<Cancelled, Error> {
    let id: Id<Booking> =
        asked.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let wish = Cancellation {
        by: read_cancelled_by(asked.cancelled_by).ok_or(refuse(Rejection::InvalidCancelledBy))?,
        refund: read_refund_wish(asked.refund).ok_or(refuse(Rejection::InvalidRefund))?,
        notice_hours: i64::from(desk.practice.policies.cancellation_hours),
    };
    let key = parse_key(&std::mem::take(&mut asked.idempotency_key))?;
    let hash = request_hash(&asked.encode_to_vec());
    let key = Arc::new(Key { caller: staff.id.to_string(), method: METHOD, key, hash });
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let desk_for_task = Arc::clone(desk);
    desk.store
        .write(metadata, move |tx| {
            let (desk, key) = (Arc::clone(&desk_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                cancel(tx, &desk, (id, wish), &key).await
            })
        })
        .await
}

async fn cancel(
    tx: &mut Tx,
    desk: &Desk,
    (id, wish): (Id<Booking>, Cancellation),
    key: &Key,
) -> Result<Cancelled, Error> {
    let known = key.recall::<Booking>(tx).await?.is_some();
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let command = Command::Cancel { wish, now: open.now };
    let events = open.apply(tx, command).await?;
    carry_out(tx, &mut open, id, &events).await?;
    if !known {
        key.remember(tx, id).await?;
    }
    match open.state {
        State::Cancelled { ground, refund, .. } => {
            Ok(Cancelled { id, refund, unpaid: ground == Ground::Claim })
        }
        _ => Err(refuse(Rejection::NotCancellable)),
    }
}
