//! One function per command: read, call the provider if necessary, decide, append.

use std::sync::Arc;

use eventstore::{Metadata, Store};
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;
use runtime::telemetry::{job_span, traceparent};
use tracing::Instrument as _;

use self::order_health::OrderHealth;
use self::webhook_health::WebhookHealth;
use crate::clients::booking::BookingClient;
use crate::domain::receipt::Issuer;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{Provider, ProviderError};

pub mod request;
pub mod idempotency;
pub mod ownership;
pub mod fold;
pub mod apply_booking_intent;
pub mod issue_receipt;
pub mod list_receipts;
pub mod set_payer;
pub mod start_payment;
pub mod lease;
pub mod ask_provider;
pub mod ensure_order;
pub mod record_link;
pub mod ensure_link;
pub mod end_link;
pub mod order_health;
pub mod webhook_health;
pub mod adopt_order;
pub mod submit_checkout_answer;
pub mod submit_link_return;
pub mod check_payment;
pub mod check_provider;
pub mod claim_payment;
pub mod poll_order;
pub mod ask_sold_order;
pub mod process_refund;
pub mod renew_refund;
pub mod refund_payment;
pub mod give_back_kept;
pub mod request_refund;
pub mod answer_refund_request;
pub mod release_refund;
pub mod desk_money;
pub mod fold_webhook;
pub mod nightly;
pub mod backfill_ledger;
pub mod count_disputes;
pub mod import_payment;
pub mod list_disputes;
pub mod list_payments;
pub mod settle_day;
pub mod reconciliation_exceptions;
pub mod detect_missing_webhook;
pub mod probe;

/// What commands work with: the store, the clients and the settings.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// The payment provider.
    pub provider: Arc<dyn Provider>,
    /// Client of booking's internal API.
    pub bookings: BookingClient,
    /// Whether the provider accepts our orders.
    pub order_health: OrderHealth,
    /// Whether webhooks name our account.
    pub webhook_health: WebhookHealth,
    /// What a browser needs to open the checkout.
    pub checkout: Checkout,
    /// Who issues receipts.
    pub issuer: Arc<Issuer>,
    /// Within how many days the practice promises a refund.
    pub refund_days: i64,
    /// The most that the front desk takes of one booking, in minor units.
    pub desk_limit_minor: i64,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("checkout", &self.checkout).finish_non_exhaustive()
    }
}

/// What a browser needs to open the provider's checkout.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The public half of our key.
    pub key_id: String,
    /// Where its script is.
    pub script_url: String,
}

/// Runs work on a booking's money as a part of the trace in which the booking began, so that one
/// trace shows it from the first click to the mail, whatever reported the money.
pub(crate) async fn traced<T>(
    name: &str,
    booking_id: Id<Booking>,
    trace: Option<&str>,
    work: impl Future<Output = T>,
) -> T {
    let span = match trace {
        Some(_) => job_span(name, trace),
        None => tracing::Span::current(),
    };
    span.record("booking_id", tracing::field::display(booking_id));
    work.instrument(span).await
}

/// The metadata of events about a booking's money. Without a collector of traces there is no
/// current span, and the stored trace is passed on as it is.
pub(crate) fn metadata(actor: &str, booking_id: Id<Booking>, trace: Option<&str>) -> Metadata {
    let trace = traceparent().or_else(|| trace.map(str::to_owned));
    Metadata::by(actor, trace).about(booking_id.to_string())
}

/// The provider failed in the middle of a command: logged here; the caller tries again.
pub(crate) fn provider_failed(booking_id: Id<Booking>, error: &ProviderError) -> Error {
    tracing::warn!(%booking_id, error = chain(error), "the payment provider failed");
    refuse(Rejection::ProviderUnavailable)
}
