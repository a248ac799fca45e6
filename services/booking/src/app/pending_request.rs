//! A request for a booking while it waits for its batch, and what it returns.

use std::sync::Arc;

use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::{Booking, Customer};
use kernel::{CancellationPolicy, Id, Timestamp};
use practice::Practice;
use service::IdempotencyKey;
use staff::Staff;

use super::free_session::FreeRequest;
use super::group_commit::Batched;
use super::hold_origin::HoldOrigin;
use super::request::BookingRequest;
use crate::clients::catalogue::Offering;
use crate::contract::day_stream;
use crate::domain::availability::Rules;
use crate::domain::consent::proof::Proof;
use crate::domain::package::PackageTerms;
use crate::domain::practitioners::Practitioner;
use crate::domain::span::Span;
use crate::error::Rejection;
use crate::read_model::project;
use crate::read_model::query::SlotRequest;
use crate::read_model::view::View;
use crate::repository::consents::NewConsent;
use crate::repository::{customer_lock, day_lock, scheduled_events};

/// The method's name, stored with its idempotency keys.
pub(super) const METHOD: &str = "RequestBooking";

/// A booking that holds the time, as its owner sees it.
#[derive(Clone)]
pub struct HeldBooking {
    /// Its id.
    pub id: Id<Booking>,
    /// The owner's view, as committed.
    pub view: View,
}

/// What is asked for, the same of each practitioner.
pub(super) struct RequestedBooking {
    /// Who will own the booking.
    pub(super) customer_id: Id<Customer>,
    pub(super) details: BookingRequest,
    /// Where it comes from.
    pub(super) origin: HoldOrigin,
    /// By which way a consent comes with it.
    pub(super) proof: Proof,
    pub(super) offering: Offering,
    /// The package; `None` for a single session.
    pub(super) package: Option<PackageTerms>,
    /// The wanted times, in order.
    pub(super) spans: Vec<Span>,
    /// The terms of a free session; `None` for one that is to be paid.
    pub(super) free: Option<FreeRequest>,
    /// What staff said, if they book by phone.
    pub(super) phone: Option<PhoneTerms>,
}

/// A request to one practitioner, with everything that is known before its locks are taken.
pub struct PendingRequest {
    /// The id of the booking, if a new one is created.
    pub(super) id: Id<Booking>,
    pub(super) metadata: Metadata,
    pub(super) key: IdempotencyKey,
    pub(super) wanted: Arc<RequestedBooking>,
    /// The practitioner to ask.
    pub(super) practitioner: Arc<Practitioner>,
    /// The requested times, in order, each on its own day.
    pub(super) days: Vec<RequestedDay>,
}

/// What staff say of a booking by phone.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhoneTerms {
    /// The member of staff.
    pub(super) staff: Staff,
    /// For how many minutes the time is held.
    pub(super) hold_minutes: i64,
    /// Whether the address of its page is mailed.
    pub(super) send_mail: bool,
}

/// A requested time and its day.
pub(super) struct RequestedDay {
    /// The time.
    pub(super) span: Span,
    /// Its local date.
    pub(super) date: jiff::civil::Date,
    /// The stream of the practitioner's day.
    pub(super) stream: String,
}

impl RequestedBooking {
    /// What goes back of its sessions, if it is booked now.
    pub(super) fn policy(&self, practice: &Practice) -> CancellationPolicy {
        let notice_hours = self.package.as_ref().map(|terms| terms.package.notice_hours);
        practice.policies.cancellation_policy(notice_hours)
    }

    /// The member of staff who books by phone, else the customer.
    fn caller(&self) -> Id<Customer> {
        self.phone.map_or(self.customer_id, |terms| terms.staff.id)
    }
}

impl PendingRequest {
    /// The request to a practitioner, with an id of its own for the booking.
    pub(super) fn to(
        rules: &Rules,
        wanted: &Arc<RequestedBooking>,
        practitioner: Arc<Practitioner>,
    ) -> Self {
        let (id, caller) = (new_id::<Booking>(), wanted.caller().to_string());
        let day = |span: &Span| {
            let date = rules.date_of(span.starts_at());
            RequestedDay { span: *span, date, stream: day_stream(&practitioner.id, date) }
        };
        let days = wanted.spans.iter().map(day).collect();
        let (key, hash) = (wanted.details.key.clone(), wanted.details.hash.clone());
        Self {
            id,
            metadata: Metadata::traced(caller.clone()).about(id.to_string()),
            key: IdempotencyKey { caller, method: METHOD, key, hash },
            wanted: Arc::clone(wanted),
            practitioner,
            days,
        }
    }

    /// One of its sessions, to compare with the customer's holds.
    pub(super) fn slot_request(&self, day: &RequestedDay) -> SlotRequest<'_> {
        let RequestedBooking { customer_id, details, origin, .. } = &*self.wanted;
        SlotRequest {
            customer_id: *customer_id,
            service_id: &details.service_id,
            package_id: details.package_id.as_deref(),
            mode: project::mode_word(details.mode),
            span: day.span,
            practitioner_id: details.practitioner_id.as_deref(),
            asked_id: &self.practitioner.id,
            network_hash: origin.network.as_deref(),
            device_hash: origin.device.as_deref(),
        }
    }

    /// The locks under which it is decided: those of its days, its key, its client, and the
    /// address of a free session or the event of the scheduling provider's widget.
    pub(super) fn locks(&self) -> impl Iterator<Item = String> {
        let days = self.days.iter().map(|day| day_lock(&self.practitioner.id, day.date));
        let own = [self.key.lock_name(), customer_lock(self.wanted.customer_id)];
        let event = self.scheduled_event_uri().map(|uri| format!("scheduled event {uri}"));
        days.chain(own).chain(self.wanted.free.as_ref().map(FreeRequest::lock_name)).chain(event)
    }

    /// What was scheduled in the provider's widget.
    pub(super) fn scheduled_event_uri(&self) -> Option<&str> {
        self.wanted.details.scheduled_event_uri.as_deref()
    }

    /// Whether both are for a free session of the same address.
    pub(super) fn shares_address(&self, other: &Self) -> bool {
        let email = |it: &Self| it.wanted.free.as_ref().map(|free| free.email().to_owned());
        email(self).is_some_and(|own| email(other) == Some(own))
    }

    /// Whether both name the same event of the provider's widget.
    pub(super) fn shares_event(&self, other: &Self) -> bool {
        let event = self.scheduled_event_uri();
        event.is_some() && event == other.scheduled_event_uri()
    }

    /// Whether it names an event that it can't have. Exact under the event's lock.
    pub(super) async fn lacks_its_event(
        &self,
        tx: &mut Tx,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(uri) = self.scheduled_event_uri() else { return Ok(false) };
        let found = scheduled_events::find(tx.connection(), uri).await?;
        let start = self.days.first().map(|day| day.span.starts_at());
        Ok(!found.is_some_and(|(event, is_taken)| {
            let fits = |at| event.is_for(&self.wanted.details.service_id, at, now);
            is_taken && start.is_some_and(fits)
        }))
    }

    /// The consent that came with it, given with this booking.
    pub(super) fn consent(&self, booking_id: Id<Booking>) -> Option<NewConsent<'_>> {
        let RequestedBooking { customer_id, details, proof, .. } = &*self.wanted;
        let consent = details.consent.as_ref()?;
        Some(NewConsent { customer_id: *customer_id, booking_id, consent, proof })
    }
}

/// A batch has at most one request per caller, because the live-hold limit and the idempotency keys
/// are read once per batch. Of a booking by phone the caller is the member of staff.
impl Batched for PendingRequest {
    type Key = Id<Customer>;
    type Answer = HeldBooking;
    type Rejection = Rejection;

    fn key(&self) -> Id<Customer> {
        self.wanted.caller()
    }
}
