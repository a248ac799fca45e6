//! All calls that a browser may make, with their access: those of the listed services. A service
//! that is not listed doesn't exist from outside; the contract has internal ones, too.

use std::collections::HashMap;

use connectrpc::{IdempotencyLevel, Spec, StreamType};

use crate::schema::Schema;

/// Who may make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Everybody; the response is the same for all and may be cached.
    Cached,
    /// Everybody; the response is not cached by browsers.
    Public,
    /// Signed-in users. The service checks again, and checks ownership and, for staff calls, the
    /// caller's role.
    SignedIn,
    /// The admin panel, from our own pages only. Reviews checks whether the caller has a grant, and
    /// has signed in where that is needed: a practice with a passphrase has no accounts.
    Panel,
}

/// The dedicated rate limit of a call per network address, besides the general one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DedicatedLimit {
    /// No dedicated limit.
    None,
    /// Reviews and their pictures.
    Review,
    /// Passwords, and calls of the panel without a grant.
    SignIn,
    /// Forms that send mails.
    Form,
    /// Unsubscribing and resubscribing.
    Unsubscribe,
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Procedure {
    pub(crate) spec: Spec,
    pub(crate) access: Access,
}

impl Procedure {
    /// Whether the call may change state; commands are limited per account.
    pub(crate) fn is_command(self) -> bool {
        self.spec.stream_type == StreamType::Unary
            && self.spec.idempotency_level != IdempotencyLevel::NoSideEffects
            && !self.is_one_of(&SECRET_READS)
    }

    /// Whether the call's response is a stream.
    pub(crate) fn is_stream(self) -> bool {
        self.spec.stream_type != StreamType::Unary
    }

    /// Whether the call may take or free a slot.
    pub(crate) fn changes_slots(self) -> bool {
        self.is_command()
            && self.spec.procedure.starts_with("/booking.")
            && !self.is_one_of(&NO_SLOTS)
    }

    /// The dedicated rate limit. Reviews records each rejected call of the panel, so such calls are
    /// limited: a call without a grant counts like a guessed password.
    pub(crate) fn dedicated_limit(self, has_grant: bool) -> DedicatedLimit {
        let refused = self.access == Access::Panel && self.is_command() && !self.is(LOCK);
        if self.is(SUBMIT_REVIEW) {
            DedicatedLimit::Review
        } else if self.is(UNLOCK) || (refused && !has_grant) {
            DedicatedLimit::SignIn
        } else if self.is_one_of(&FORMS) {
            DedicatedLimit::Form
        } else if self.is_one_of(&[UNSUBSCRIBE, RESUBSCRIBE]) {
            DedicatedLimit::Unsubscribe
        } else {
            DedicatedLimit::None
        }
    }

    /// Whether it is the call of this path.
    pub(crate) fn is(self, path: &str) -> bool {
        self.spec.procedure == path
    }

    fn is_one_of(self, paths: &[&str]) -> bool {
        paths.contains(&self.spec.procedure)
    }
}

/// Checks a password and creates a grant.
pub(crate) const UNLOCK: &str = "/reviews.v1.ReviewsStaffService/Unlock";
/// Revokes a grant.
pub(crate) const LOCK: &str = "/reviews.v1.ReviewsStaffService/Lock";
const SUBMIT_REVIEW: &str = "/reviews.v1.ReviewsService/SubmitReview";

/// Holds a time.
pub(crate) const REQUEST_BOOKING: &str = "/booking.v1.BookingService/RequestBooking";

/// Accepts the terms on the page of a booking by phone.
pub(crate) const ACCEPT_TERMS: &str = "/booking.v1.PaymentPageService/AcceptTerms";

/// Has a new key of such a page mailed.
pub(crate) const RENEW_PAGE_KEY: &str = "/booking.v1.PaymentPageService/RenewPageKey";

/// Takes over what was scheduled in the provider's widget.
pub(crate) const TAKE_SCHEDULED_EVENT: &str =
    "/booking.v1.BookingCalendarService/TakeScheduledEvent";
const OPEN_SCHEDULING_VISIT: &str = "/booking.v1.BookingCalendarService/OpenSchedulingVisit";

/// Lists free slots.
pub(crate) const LIST_SLOTS: &str = "/booking.v1.BookingService/ListSlots";

/// Unsubscribes from mails.
pub(crate) const UNSUBSCRIBE: &str = "/notifications.v1.NotificationsService/Unsubscribe";
/// Undoes an unsubscription.
const RESUBSCRIBE: &str = "/notifications.v1.NotificationsService/Resubscribe";
/// Forms that send mails without authentication; the acknowledgement goes to any address given.
const FORMS: [&str; 2] = [
    "/notifications.v1.NotificationsService/SendContactMessage",
    "/notifications.v1.NotificationsService/RequestMeditationGuide",
];

const GET_INVITATION: &str = "/booking.v1.OrganisationService/GetInvitation";
const OPEN_JOIN_PAGE: &str = "/booking.v1.JoinPageService/OpenJoinPage";

/// Reads by a secret, which must stand in no URL: so they are no GET and not marked as reads.
const SECRET_READS: [&str; 5] = [
    GET_INVITATION,
    "/payments.v1.PagePaymentService/ListPageReceipts",
    "/booking.v1.PaymentPageService/GetPaymentPage",
    "/booking.v1.PaymentPageService/GetPageCalendarFile",
    OPEN_JOIN_PAGE,
];

/// Public calls of booking that concern no slot, so that they empty no cache.
const NO_SLOTS: [&str; 2] = [RENEW_PAGE_KEY, OPEN_SCHEDULING_VISIT];

/// The services that browsers may call, with the access of their calls.
const SERVICES: [(&str, Access); 19] = [
    ("booking.v1.BookingCalendarService", Access::SignedIn),
    ("booking.v1.BookingCalendarStaffService", Access::SignedIn),
    ("booking.v1.BookingService", Access::SignedIn),
    ("booking.v1.BookingStaffService", Access::SignedIn),
    ("booking.v1.ConsentService", Access::SignedIn),
    ("booking.v1.ConsentStaffService", Access::SignedIn),
    ("booking.v1.JoinPageService", Access::SignedIn),
    ("booking.v1.OrganisationService", Access::SignedIn),
    ("booking.v1.OrganisationStaffService", Access::SignedIn),
    ("booking.v1.PaymentPageService", Access::Public),
    ("booking.v1.WidgetService", Access::SignedIn),
    ("catalogue.v1.CatalogueService", Access::Cached),
    ("notifications.v1.NotificationsService", Access::Public),
    ("notifications.v1.NotificationsStaffService", Access::SignedIn),
    ("payments.v1.PagePaymentService", Access::Public),
    ("payments.v1.PaymentsService", Access::SignedIn),
    ("payments.v1.PaymentsStaffService", Access::SignedIn),
    ("reviews.v1.ReviewsService", Access::Public),
    ("reviews.v1.ReviewsStaffService", Access::Panel),
];

/// The calls of these services that need no sign-in all the same.
const PUBLIC: [&str; 6] = [
    LIST_SLOTS,
    OPEN_SCHEDULING_VISIT,
    TAKE_SCHEDULED_EVENT,
    GET_INVITATION,
    OPEN_JOIN_PAGE,
    "/booking.v1.WidgetService/GetReport",
];

/// The call of these services that doesn't exist below /rpc: the calendar of a secret address is
/// served over HTTP.
pub(crate) const GET_SESSION_CALENDAR: &str =
    "/booking.v1.BookingCalendarService/GetSessionCalendar";

/// The calls by their path, "/package.Service/Method".
#[derive(Clone, Debug)]
pub(crate) struct Procedures(HashMap<&'static str, Procedure>);

impl Procedures {
    pub(crate) fn new(schema: &Schema) -> Self {
        let specs = schema.methods().map(|method| method.spec);
        let listed = specs.filter_map(|spec| Some(Procedure { spec, access: access(spec)? }));
        Self(listed.map(|procedure| (procedure.spec.procedure, procedure)).collect())
    }

    pub(crate) fn get(&self, path: &str) -> Option<Procedure> {
        self.0.get(path).copied()
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = Procedure> {
        self.0.values().copied()
    }
}

/// The access of a call, or `None` if browsers can't make it.
fn access(spec: Spec) -> Option<Access> {
    if spec.procedure == GET_SESSION_CALENDAR {
        return None;
    }
    let (_service, access) = SERVICES.iter().find(|(service, _)| *service == spec.service())?;
    Some(if PUBLIC.contains(&spec.procedure) { Access::Public } else { *access })
}

#[cfg(test)]
mod tests;
