//! A request for a booking while it waits for its batch, and what it returns.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::free_session::FreeRequest;
use super::group_commit::Batched;
use super::idempotency::IdempotencyKey;
use super::request::BookingRequest;
use crate::clients::catalogue::Offering;
use crate::domain::practitioners::Practitioner;
use crate::domain::span::Span;
use crate::read_model::project;
use crate::read_model::query::SlotRequest;
use crate::read_model::view::View;
use crate::repository::consents::NewConsent;

/// A booking that holds the time, as its owner sees it.
#[derive(Clone)]
pub struct HeldBooking {
    /// Its id.
    pub id: Id<Booking>,
    /// The owner's view, as committed.
    pub view: View,
}

/// A parsed request with everything that is known before its locks are taken.
pub struct PendingRequest {
    /// The id of the booking, if a new one is created.
    pub(super) id: Id<Booking>,
    /// The caller.
    pub(super) customer_id: Id<Customer>,
    pub(super) metadata: Metadata,
    pub(super) key: IdempotencyKey,
    pub(super) details: BookingRequest,
    pub(super) offering: Offering,
    /// The requested time.
    pub(super) span: Span,
    /// The terms of a free session; `None` for one that is to be paid.
    pub(super) free: Option<FreeRequest>,
    /// The practitioner to ask.
    pub(super) practitioner: Arc<Practitioner>,
    /// The date of the session, and the stream of that day of the practitioner.
    pub(super) date: jiff::civil::Date,
    pub(super) stream: String,
}

impl PendingRequest {
    pub(super) fn slot_request(&self) -> SlotRequest<'_> {
        SlotRequest {
            customer_id: self.customer_id,
            service_id: &self.details.service_id,
            mode: project::mode_word(self.details.mode),
            span: self.span,
            practitioner_id: self.details.practitioner_id.as_deref(),
        }
    }

    /// The consent that came with it, given with this booking.
    pub(super) fn consent(&self, booking_id: Id<Booking>) -> Option<NewConsent<'_>> {
        let consent = self.details.consent.as_ref()?;
        Some(NewConsent { customer_id: self.customer_id, booking_id, consent })
    }
}

/// A batch has at most one request per customer, because the live-hold limit is read once per
/// batch.
impl Batched for PendingRequest {
    type Key = Id<Customer>;

    fn key(&self) -> Id<Customer> {
        self.customer_id
    }
}
