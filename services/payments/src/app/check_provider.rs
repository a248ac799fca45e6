//! Checks the provider's set-up: it accepts our keys, its webhooks arrive, and the newest payment
//! passed each step of a sale.

use eventstore::Recorded;
use kernel::id::Booking;
use kernel::{Id, Money, Timestamp, fold};

use super::App;
use crate::contract::{collection_stream, read_collection_event};
use crate::domain::collection::{Collection, CollectionLife, Event, State};
use crate::domain::fact::{PaymentId, Status};
use crate::domain::refund::End;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{inbox, receipts};
use crate::timers::polling::CAPTURED_WITHIN;

/// The seconds for which payments are listed; only the provider's answer matters.
const ASKED_SECONDS: i64 = 60;

/// How the provider is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkup {
    /// Why it did not take our keys just now.
    pub keys_problem: Option<String>,
    /// When the last webhook with the right signature came, of those of 90 days.
    pub last_webhook_at: Option<Timestamp>,
    /// A payment, when one was made.
    pub payment: Option<CheckedProviderPayment>,
}

/// How a payment arrived and was refunded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedProviderPayment {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment: PaymentId,
    /// What was paid.
    pub amount: Money,
    /// A webhook reported it.
    pub has_webhook: bool,
    /// The provider captured it before we would have.
    pub is_captured_by_itself: bool,
    /// What has gone back, in minor units.
    pub refunded_minor: i64,
    /// What is on its way back, in minor units.
    pub refunding_minor: i64,
}

/// Checks keys, webhooks and the payment of this booking, or that of the newest receipt.
///
/// # Errors
/// `BookingNotFound`, or that the database does not answer.
pub async fn check_provider(app: &App, booking_id: Option<Id<Booking>>) -> Result<Checkup, Error> {
    let pool = app.store.pool();
    let now = app.store.now().await?;
    let asked = app.provider.payments_between(now.plus_seconds(-ASKED_SECONDS), now, 0).await;
    let newest = match booking_id {
        Some(id) => Some(id),
        None => receipts::newest_booking(pool).await?,
    };
    let payment = match newest {
        Some(id) => check_payment(app, id).await?,
        None => None,
    };
    if booking_id.is_some() && payment.is_none() {
        return Err(refuse(Rejection::BookingNotFound));
    }
    Ok(Checkup {
        keys_problem: asked.err().map(|error| error.to_string()),
        last_webhook_at: inbox::last_received(pool).await?,
        payment,
    })
}

async fn check_payment(
    app: &App,
    booking_id: Id<Booking>,
) -> Result<Option<CheckedProviderPayment>, Error> {
    let recorded = app.store.load(&collection_stream(booking_id)).await?;
    let events = recorded.iter().map(read_collection_event).collect::<Result<Vec<_>, _>>();
    let events = events.map_err(eventstore::StoreError::from)?;
    let State::Open(known) = fold::<CollectionLife>(&events) else { return Ok(None) };
    let Some(payment) = known.verified.clone() else { return Ok(None) };
    let (refunded_minor, refunding_minor) = refunded_amounts(&known, &payment);
    Ok(Some(CheckedProviderPayment {
        booking_id,
        amount: Money { minor: known.brought(&payment), ..known.terms.amount },
        has_webhook: inbox::has_reported(app.store.pool(), &payment).await?,
        is_captured_by_itself: is_captured_at_once(&recorded, &events, &payment),
        payment,
        refunded_minor,
        refunding_minor,
    }))
}

/// What of a payment has gone back, and what is on its way.
fn refunded_amounts(known: &Collection, payment: &PaymentId) -> (i64, i64) {
    let sum = |end| {
        let meant = known.refunds_of(payment).filter(|(_, refund)| refund.end == end);
        meant.fold(0_i64, |sum, (_, refund)| sum.saturating_add(refund.amount.minor))
    };
    (sum(Some(End::Processed)), sum(None))
}

/// Whether a payment was captured so soon after its first report that it was not captured by us.
fn is_captured_at_once(recorded: &[Recorded], events: &[Event], payment: &PaymentId) -> bool {
    let observed: Vec<(Timestamp, Status)> = recorded
        .iter()
        .zip(events)
        .filter_map(|(recorded, event)| match event {
            Event::Observed { payment: observed, .. } if observed.id == *payment => {
                Some((recorded.recorded_at, observed.fact.status))
            }
            _ => None,
        })
        .collect();
    let captured = observed.iter().find(|(_, status)| *status == Status::Captured);
    let authorized = observed.iter().find(|(_, status)| *status == Status::Authorized);
    match (authorized, captured) {
        (Some((first, _)), Some((then, _))) => then.seconds_since(*first) < CAPTURED_WITHIN,
        (None, captured) => captured.is_some(),
        (Some(_), None) => false,
    }
}
