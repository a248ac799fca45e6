//! What the provider said becomes facts of a collection; whatever it means happens with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use eventstore::{Metadata, Tx, new_id};
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, Timestamp};
use runtime::status::chain;

use super::follow_booking::follow_booking;
use super::{Error, Rejection, Till, refuse};
use crate::domain::collection::{Collection, Command, Event, Standing};
use crate::domain::fact::{Amount, OrderFact, OrderId, Payment, Source, Status};
use crate::domain::receipt::due;
use crate::domain::refund::{Found, News};
use crate::polling::{self, Turn};
use crate::provider::{PaymentReport, ProviderError, ProviderRefund};
use crate::read_model::query::CollectionRow;
use crate::read_model::{query, receipts};
use crate::store::OpenCollection;
use crate::timers;

/// What becomes of the booking's polling once the facts are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It goes on as it was.
    Keep,
    /// It begins anew at its fast pace: somebody waits.
    Hurry,
    /// It goes on after the question of this turn, unless it was hurried meanwhile.
    After(Asked),
}

/// A question that was asked of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Which one.
    pub turn: Turn,
    /// The one after it.
    pub next: Turn,
    /// Until when the booking's time is held, if that is known.
    pub held_until: Option<Timestamp>,
}

/// What the provider told about one booking's money.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Its payments.
    pub payments: Vec<Payment>,
    /// Refunds of them.
    pub refunds: Vec<ProviderRefund>,
    /// How its order stands, when that was asked.
    pub order: Option<Box<OrderFact>>,
    /// Whether something could not be asked, so that it has to be asked again.
    pub is_partial: bool,
}

impl Told {
    /// The same with what was told after it, and with how the order stands.
    #[must_use]
    pub fn and(mut self, after: Self, order: OrderFact) -> Self {
        self.payments.extend(after.payments);
        self.refunds.extend(after.refunds);
        self.is_partial |= after.is_partial;
        self.order = Some(Box::new(order));
        self
    }
}

/// Takes payments as the provider reports them, and asks for the refunds of those of which more has
/// gone back than we know: somebody made them on the provider's own pages.
///
/// # Errors
/// When the database does not answer.
pub async fn look_into(till: &Till, reports: Vec<PaymentReport>) -> Result<Told, Error> {
    let mut told = Told::default();
    for PaymentReport { payment, refunded_minor } in reports {
        let id = payment.id.clone();
        told.payments.push(payment);
        if refunded_minor <= query::taken_back(till.store.pool(), &id).await? {
            continue;
        }
        match till.provider.refunds_of(&id).await {
            Ok(refunds) => told.refunds.extend(refunds),
            Err(error) => {
                tracing::warn!(payment = %id, error = chain(&error), "refunds are not known yet");
                told.is_partial = true;
            }
        }
    }
    Ok(told)
}

/// The same for payments of a booking's order, with how the order stands where their money waits
/// for that.
///
/// # Errors
/// When the database does not answer.
pub async fn look_into_order(
    till: &Till,
    row: &CollectionRow,
    reports: Vec<PaymentReport>,
) -> Result<Told, Error> {
    let (booking_id, told) = (row.booking_id, look_into(till, reports).await?);
    let Some(order) = row.order.as_ref().map(|order| &order.id) else { return Ok(told) };
    if !asks_for_order(&told, (order, &Amount::from(row.amount)))
        && !query::has_undecided(till.store.pool(), booking_id).await?
    {
        return Ok(told);
    }
    // Whatever has paid the order by then is among the payments that are asked for after it.
    let asked =
        async { Ok((till.provider.order(order).await?, till.provider.payments_of(order).await?)) };
    match asked.await {
        Ok((order, reports)) => {
            let again = look_into(till, reports).await?;
            Ok(told.and(again, order.fact))
        }
        Err(error) => {
            let error: ProviderError = error;
            tracing::warn!(%booking_id, error = chain(&error), "an order is not known yet");
            Ok(Told { is_partial: true, ..told })
        }
    }
}

/// Whether money of another amount than the order's has come: then the order is asked for, too.
#[must_use]
pub fn asks_for_order(told: &Told, (order, amount): (&OrderId, &Amount)) -> bool {
    told.payments.iter().any(|Payment { fact, .. }| {
        fact.status == Status::Captured
            && fact.order.as_ref() == Some(order)
            && fact.amount.currency == amount.currency
            && fact.amount.minor != amount.minor
    })
}

/// Folds what was told inside a transaction.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    told: &Told,
    source: Source,
    next: Next,
) -> Result<Standing, Error> {
    let mut open = OpenCollection::load(tx, booking_id).await?;
    let mut is_verified = false;
    for payment in &told.payments {
        let refund_id = open.refund_id(&["observed", payment.id.as_str()]);
        let payment = payment.clone();
        let events = open.apply(tx, Command::Observe { payment, source, refund_id }).await?;
        is_verified |= events.iter().any(|event| matches!(event, Event::Verified { .. }));
    }
    for refund in &told.refunds {
        fold_refund(tx, &mut open, refund).await?;
    }
    is_verified |= judge(tx, &mut open, told.order.as_deref()).await?;
    if is_verified || !told.refunds.is_empty() {
        // The session may have taken place on the customer's word, and here is its money; or it is
        // learnt of again, and booking has told long ago what becomes of it.
        follow_news(tx, &mut open, booking_id).await?;
    }
    let collection = open.collection().ok_or(refuse(Rejection::PaymentNotStarted))?;
    if collection.is_settled() && !told.is_partial {
        polling::end(tx, booking_id).await?;
    } else {
        go_on_polling(tx, booking_id, next, open.now).await?;
    }
    Ok(collection.standing())
}

/// Decides about the money that waited for this; says whether some of it counts now.
async fn judge(
    tx: &mut Tx,
    open: &mut OpenCollection,
    order: Option<&OrderFact>,
) -> Result<bool, Error> {
    let refund_ids: BTreeMap<_, _> = open
        .collection()
        .into_iter()
        .flat_map(Collection::undecided)
        .map(|id| (id.clone(), open.refund_id(&["observed", id.as_str()])))
        .collect();
    let events = open.apply(tx, Command::Judge { order: order.cloned(), refund_ids }).await?;
    Ok(events.iter().any(|event| matches!(event, Event::Verified { .. })))
}

/// Does again what booking wants to become of the money: a refund by another hand that failed
/// leaves money that booking's wish was not about yet. Whatever brought the news, a timer sees to
/// the receipt if that is due now: the lock for its number has to be the last one that is taken.
///
/// # Errors
/// When the database does not answer.
pub async fn follow_news(
    tx: &mut Tx,
    open: &mut OpenCollection,
    booking_id: Id<Booking>,
) -> Result<(), Error> {
    let wish = query::wish(tx.connection(), booking_id).await?;
    follow_booking(tx, open, &wish).await?;
    let placed = wish.placed.as_ref();
    if let Some(payment) = open.collection().and_then(|known| due::for_money(known, placed))
        && !receipts::is_issued(tx.connection(), payment).await?
    {
        timers::issue_receipt(tx, booking_id, open.now).await?;
    }
    Ok(())
}

/// What a refund as the provider has it means: news of one of ours, by the id that it bears, or
/// else one that is found there. The two ids are new; `None` when it is not known what is refunded.
#[must_use]
pub fn refund_command(
    known: &Collection,
    refund: &ProviderRefund,
    (refund_id, rest_id): (Id<RefundKind>, Id<RefundKind>),
) -> Option<Command> {
    let (id, progress) = (refund.id.clone(), refund.progress);
    let own = refund.refund_id.filter(|own| known.refunds.contains_key(own));
    if let Some(own) = own {
        let news = News::Taken { id, progress };
        return Some(Command::LearnRefund { refund_id: own, news, rest_id });
    }
    let payment = refund.payment.clone()?;
    let found = Found { payment, id, amount: refund.amount.clone(), progress };
    Some(Command::DiscoverRefund { found, refund_id, rest_id })
}

/// Folds a refund as the provider has it.
///
/// # Errors
/// When the database does not answer.
pub async fn fold_refund(
    tx: &mut Tx,
    open: &mut OpenCollection,
    refund: &ProviderRefund,
) -> Result<(), Error> {
    let ids = (new_id(), new_id());
    let command = open.collection().and_then(|known| refund_command(known, refund, ids));
    if let Some(command) = command {
        open.apply(tx, command).await?;
    }
    Ok(())
}

async fn go_on_polling(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    next: Next,
    now: Timestamp,
) -> Result<(), Error> {
    match next {
        Next::Keep => {}
        Next::Hurry => polling::set(tx, booking_id, Turn::first(now), now, None).await?,
        // Whatever hurried it during the question has set a better time.
        Next::After(asked) => {
            if polling::is_at(tx, booking_id, asked.turn).await? {
                polling::set(tx, booking_id, asked.next, now, asked.held_until).await?;
            }
        }
    }
    Ok(())
}

/// Folds what was told in a transaction of its own.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold_now(
    till: &Till,
    metadata: Metadata,
    booking_id: Id<Booking>,
    told: Told,
    (source, next): (Source, Next),
) -> Result<Standing, Error> {
    let told = Arc::new(told);
    till.store
        .write(metadata, move |tx| {
            let told = Arc::clone(&told);
            Box::pin(async move { fold(tx, booking_id, &told, source, next).await })
        })
        .await
}
