//! A request for a booking while it waits for its batch, and what it returns.

use std::sync::Arc;

use eventstore::{Metadata, StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use practice::Practice;
use staff::Staff;

use super::free_session::FreeRequest;
use super::group_commit::Batched;
use super::hold_origin::HoldOrigin;
use super::idempotency::IdempotencyKey;
use super::request::BookingRequest;
use super::shown_texts::notice_hours;
use crate::clients::catalogue::Offering;
use crate::domain::consent::proof::Proof;
use crate::domain::package::PackageTerms;
use crate::domain::practitioners::Practitioner;
use crate::domain::shown_texts::Acceptance;
use crate::domain::span::Span;
use crate::error::Error;
use crate::read_model::busy_times;
use crate::read_model::project;
use crate::read_model::query::SlotRequest;
use crate::read_model::view::View;
use crate::repository::consents::NewConsent;
use crate::repository::{customer_lock, day_lock, scheduled_events};

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
    /// Where it comes from.
    pub(super) origin: HoldOrigin,
    /// By which way a consent comes with it.
    pub(super) proof: Proof,
    pub(super) offering: Offering,
    /// The package; `None` for a single session.
    pub(super) package: Option<PackageTerms>,
    /// The terms of a free session; `None` for one that is to be paid.
    pub(super) free: Option<FreeRequest>,
    /// What staff said, if they book by phone.
    pub(super) phone: Option<PhoneTerms>,
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

impl PendingRequest {
    /// One for each session.
    pub(super) fn slot_requests(&self) -> impl Iterator<Item = SlotRequest<'_>> {
        self.days.iter().map(move |day| SlotRequest {
            customer_id: self.customer_id,
            service_id: &self.details.service_id,
            package_id: self.details.package_id.as_deref(),
            mode: project::mode_word(self.details.mode),
            span: day.span,
            practitioner_id: self.details.practitioner_id.as_deref(),
            network_hash: self.origin.network.as_deref(),
            device_hash: self.origin.device.as_deref(),
        })
    }

    /// The locks under which it is decided: those of its days, its key, its client, and the
    /// address of a free session or the event of the scheduling provider's widget.
    pub(super) fn locks(&self) -> impl Iterator<Item = String> {
        let days = self.days.iter().map(|day| day_lock(&self.practitioner.id, day.date));
        let own = [self.key.lock_name(), customer_lock(self.customer_id)];
        let event = self.scheduled_event_uri().map(|uri| format!("scheduled event {uri}"));
        days.chain(own).chain(self.free.as_ref().map(FreeRequest::lock_name)).chain(event)
    }

    /// What was scheduled in the provider's widget.
    pub(super) fn scheduled_event_uri(&self) -> Option<&str> {
        self.details.scheduled_event_uri.as_deref()
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
            let fits = |at| event.is_for(&self.details.service_id, at, now);
            is_taken && start.is_some_and(fits)
        }))
    }

    /// The practitioner and the time of each session.
    pub(super) fn times(&self) -> impl Iterator<Item = (&str, Span)> {
        self.days.iter().map(|day| (self.practitioner.id.as_str(), day.span))
    }

    /// What is accepted with it.
    pub(super) fn acceptance(&self, practice: &Practice) -> Acceptance<'_> {
        let package = self.package.as_ref().map(|terms| &terms.package);
        Acceptance { shown: &self.details.shown, notice_hours: notice_hours(practice, package) }
    }

    /// The consent that came with it, given with this booking.
    pub(super) fn consent(&self, booking_id: Id<Booking>) -> Option<NewConsent<'_>> {
        let consent = self.details.consent.as_ref()?;
        let (customer_id, proof) = (self.customer_id, &self.proof);
        Some(NewConsent { customer_id, booking_id, consent, proof })
    }
}

/// Whether the practitioner of each request is busy by their own calendar at one of its sessions.
/// A practice without such calendars makes no statement.
pub(super) async fn busy(
    tx: &mut Tx,
    has_calendars: bool,
    requests: &[Arc<PendingRequest>],
) -> Result<Vec<bool>, Error> {
    if !has_calendars {
        return Ok(vec![false; requests.len()]);
    }
    let times: Vec<_> = requests.iter().flat_map(|request| request.times()).collect();
    let mut busy = busy_times::are_busy(tx, &times).await?.into_iter();
    let any = |request: &Arc<PendingRequest>| {
        busy.by_ref().take(request.days.len()).fold(false, |any, is_busy| any | is_busy)
    };
    Ok(requests.iter().map(any).collect())
}

/// A batch has at most one request per caller, because the live-hold limit and the idempotency keys
/// are read once per batch. Of a booking by phone the caller is the member of staff.
impl Batched for PendingRequest {
    type Key = Id<Customer>;

    fn key(&self) -> Id<Customer> {
        self.phone.map_or(self.customer_id, |terms| terms.staff.id)
    }
}
