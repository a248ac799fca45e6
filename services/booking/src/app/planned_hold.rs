//! What was decided about each request of a batch, before its rows are written.

use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::pending_request::{HeldBooking, PendingRequest};
use crate::domain::booking::Facts;
use crate::domain::shown_texts::Acceptance;
use crate::error::Rejection;
use crate::repository::Hold;
use crate::repository::consents::NewConsent;

/// The result of a request that was decided.
pub(super) type Outcome = Result<HeldBooking, Rejection>;

/// A hold that was accepted, before its rows are written.
pub(super) struct PlannedHold<'a> {
    pub(super) request: &'a PendingRequest,
    pub(super) facts: Facts,
    pub(super) until: Timestamp,
    /// Until how many hours before its start each session can be cancelled with a refund.
    pub(super) notice_hours: i32,
}

impl PlannedHold<'_> {
    pub(super) fn hold(&self) -> Hold<'_> {
        let Self { request, facts, until, notice_hours } = self;
        let (network_hash, device_hash) =
            (request.origin.network.as_deref(), request.origin.device.as_deref());
        let contact = &request.details.contact;
        let acceptance = Acceptance { shown: &request.details.shown, notice_hours: *notice_hours };
        Hold { facts, until: *until, contact, network_hash, device_hash, acceptance }
    }
}

/// The decision about one request.
pub(super) enum Decision<'a> {
    /// The hold was accepted; its rows are still to be written.
    Planned(Box<PlannedHold<'a>>),
    /// Nothing more is to be written.
    Answered(Box<Outcome>),
}

impl Decision<'_> {
    pub(super) fn rejected(rejection: Rejection) -> Self {
        Self::Answered(Box::new(Err(rejection)))
    }

    pub(super) fn hold(&self) -> Option<Hold<'_>> {
        match self {
            Self::Planned(plan) => Some(plan.hold()),
            Self::Answered(_) => None,
        }
    }

    /// The booking that was planned, or that answers the request.
    pub(super) fn booking_id(&self) -> Option<Id<Booking>> {
        match self {
            Self::Planned(plan) => Some(plan.request.id),
            Self::Answered(outcome) => outcome.as_ref().as_ref().ok().map(|held| held.id),
        }
    }

    /// The event of the provider's widget that becomes the hold's.
    pub(super) fn scheduled_event(&self) -> Option<(Id<Booking>, &str)> {
        match self {
            Self::Planned(plan) => Some((plan.request.id, plan.request.scheduled_event_uri()?)),
            Self::Answered(_) => None,
        }
    }

    /// The consent that comes with the hold.
    pub(super) fn consent(&self) -> Option<NewConsent<'_>> {
        match self {
            Self::Planned(plan) => plan.request.consent(plan.request.id),
            Self::Answered(_) => None,
        }
    }
}
