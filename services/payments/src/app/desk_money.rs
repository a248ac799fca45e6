//! Records money that changed hands at the practice's desk: a booking by phone was paid there, or
//! what is owed of it was given back. The same idempotency key is the same act.

use eventstore::{Act, IdempotencyKey, Tx, id_of, new_id};
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use staff::{Role, Staff};

use super::{App, metadata, traced};
use crate::clients::booking::BookingFacts;
use crate::domain::collection::{Command, Event, Terms};
use crate::domain::desk::{Handover, Way, payment_id};
use crate::domain::fact::{Amount, PaymentId};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;

/// The name of the first act in the audit log.
pub const PAY: &str = "RecordDeskPayment";
/// The name of the second one.
pub const GIVE_BACK: &str = "RecordDeskRefund";

/// An amount, and how it changed hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskMoney {
    /// How much.
    pub amount: Amount,
    /// In which way.
    pub handover: Handover,
}

/// Takes a booking's price at the desk. Booking confirms it because of the event, as it does when
/// the provider has the money: also where the hold ends at the same moment.
///
/// # Errors
/// `BookingNotFound`, `NotByPhone`, `HoldEnded`, `AlreadyPaid`, `AmountNotOwed`, `ConsentRequired`,
/// `AboveDeskLimit` or `IdempotencyKeyReused`.
pub async fn pay(
    app: &App,
    staff: Staff,
    booking_id: Id<Booking>,
    money: DeskMoney,
    key: &IdempotencyKey,
) -> Result<PaymentId, Error> {
    let facts = app.bookings.staff_facts(booking_id, staff.id).await?;
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (actor, key) = (staff.id.to_string(), key.clone());
    let limit = (staff.role == Role::FrontDesk).then_some(app.desk_limit_minor);
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        let (key, money) = (key.clone(), money.clone());
        Box::pin(async move {
            let subject = booking_id.to_string();
            tx.audit(staff, Act { action: PAY, subject: &subject }).await?;
            if let Some(answer) = key.answer(tx).await? {
                return PaymentId::parse(&answer).ok_or(refuse(Rejection::InvalidPaymentId));
            }
            let payment = id_of::<RefundKind>(&[&key.scoped_name(), &subject]).uuid();
            let payment = payment_id(money.handover.way, payment);
            let payment = payment.ok_or(refuse(Rejection::InvalidPaymentId))?;
            take(tx, &facts, limit, payment.clone(), money).await?;
            key.store(tx, &payment).await?;
            Ok(payment)
        })
    });
    traced("record desk payment", booking_id, trace.as_deref(), work).await
}

/// What was paid before counts before what booking says of the hold, which ended with it.
async fn take(
    tx: &mut Tx,
    facts: &BookingFacts,
    limit: Option<i64>,
    payment: PaymentId,
    DeskMoney { amount, handover }: DeskMoney,
) -> Result<(), Error> {
    let BookingFacts { booking_id, customer_id, .. } = *facts;
    let mut locked = LockedCollection::load(tx, booking_id).await?;
    // The commit that stored the key may be lost, or the key was deleted since.
    if locked.collection().is_some_and(|known| known.is_at_desk(&payment)) {
        return Ok(());
    }
    if locked.collection().is_some_and(|known| known.verified.is_some()) {
        return Err(refuse(Rejection::AlreadyPaid));
    }
    if !facts.by_phone {
        return Err(refuse(Rejection::NotByPhone));
    }
    if facts.held_until_at.is_none_or(|until| until <= locked.now) {
        return Err(refuse(Rejection::HoldEnded));
    }
    if facts.consent_missing {
        return Err(refuse(Rejection::ConsentRequired));
    }
    if amount != Amount::from(facts.price) {
        return Err(refuse(Rejection::AmountNotOwed));
    }
    if limit.is_some_and(|limit| amount.minor > limit) {
        return Err(refuse(Rejection::AboveDeskLimit));
    }
    let terms = Terms { collection_id: new_id(), booking_id, customer_id, amount: facts.price };
    locked.apply(tx, Command::Open(terms)).await?;
    locked.apply(tx, Command::PayAtDesk { payment, amount, handover }).await?;
    Ok(())
}

/// Records that all that is owed at the desk was given back there.
///
/// # Errors
/// `BookingNotFound`, `NothingOwed`, `AmountNotOwed` or `IdempotencyKeyReused`.
pub async fn give_back(
    app: &App,
    staff: Staff,
    booking_id: Id<Booking>,
    money: DeskMoney,
    key: &IdempotencyKey,
) -> Result<Vec<Id<RefundKind>>, Error> {
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (actor, key) = (staff.id.to_string(), key.clone());
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        let (key, money) = (key.clone(), money.clone());
        Box::pin(async move {
            let subject = booking_id.to_string();
            tx.audit(staff, Act { action: GIVE_BACK, subject: &subject }).await?;
            if let Some(answer) = key.answer(tx).await? {
                return Ok(answer.split(' ').filter_map(|id| id.parse().ok()).collect());
            }
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            if locked.collection().is_none() {
                return Err(refuse(Rejection::BookingNotFound));
            }
            let DeskMoney { amount, handover } = money;
            let events = locked.apply(tx, Command::GiveBackAtDesk { amount, handover }).await?;
            let done = events.iter().filter_map(|event| match event {
                Event::GivenBackAtDesk { refund_id, .. } => Some(*refund_id),
                _ => None,
            });
            let done: Vec<Id<RefundKind>> = done.collect();
            let ids: Vec<String> = done.iter().map(ToString::to_string).collect();
            key.store(tx, ids.join(" ")).await?;
            Ok(done)
        })
    });
    traced("record desk refund", booking_id, trace.as_deref(), work).await
}

/// Reads how money changed hands.
///
/// # Errors
/// `InvalidDeskWay` or `InvalidReference`.
pub fn handover(way: Option<Way>, reference: &str) -> Result<Handover, Error> {
    let way = way.ok_or(refuse(Rejection::InvalidDeskWay))?;
    Handover::new(way, reference).ok_or(refuse(Rejection::InvalidReference))
}
