//! All calls that a browser may make, with their access. A call that is not listed doesn't exist
//! from outside: internal services are generated too, but not listed here.

use std::collections::HashMap;

use connectrpc::{IdempotencyLevel, Spec, StreamType};

use crate::wire::booking::v1 as booking;
use crate::wire::catalogue::v1 as catalogue;
use crate::wire::notifications::v1 as notifications;
use crate::wire::payments::v1 as payments;
use crate::wire::reviews::v1 as reviews;

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
            && !SECRET_READS.iter().any(|read| self.is(read))
    }

    /// Whether the call's response is a stream.
    pub(crate) fn is_stream(self) -> bool {
        self.spec.stream_type != StreamType::Unary
    }

    /// Whether the call may take or free a slot.
    pub(crate) fn changes_slots(self) -> bool {
        self.is_command()
            && self.spec.procedure.starts_with("/booking.")
            && !NO_SLOTS.iter().any(|call| self.is(call))
    }

    /// The dedicated rate limit. Reviews records each rejected call of the panel, so such calls are
    /// limited: a call without a grant counts like a guessed password.
    pub(crate) fn dedicated_limit(self, has_grant: bool) -> DedicatedLimit {
        let refused = self.access == Access::Panel && self.is_command() && !self.is(&LOCK);
        if self.is(&reviews::REVIEWS_SERVICE_SUBMIT_REVIEW_SPEC) {
            DedicatedLimit::Review
        } else if self.is(&UNLOCK) || (refused && !has_grant) {
            DedicatedLimit::SignIn
        } else if FORMS.iter().any(|form| self.is(form)) {
            DedicatedLimit::Form
        } else if self.is(&UNSUBSCRIBE) || self.is(&RESUBSCRIBE) {
            DedicatedLimit::Unsubscribe
        } else {
            DedicatedLimit::None
        }
    }

    /// Whether it is this procedure.
    pub(crate) fn is(self, spec: &Spec) -> bool {
        self.spec.procedure == spec.procedure
    }
}

/// Checks a password and creates a grant.
pub(crate) const UNLOCK: Spec = reviews::REVIEWS_STAFF_SERVICE_UNLOCK_SPEC;
/// Revokes a grant.
pub(crate) const LOCK: Spec = reviews::REVIEWS_STAFF_SERVICE_LOCK_SPEC;

/// Holds a time.
pub(crate) const REQUEST_BOOKING: Spec = booking::BOOKING_SERVICE_REQUEST_BOOKING_SPEC;

/// Accepts the terms on the page of a booking by phone.
pub(crate) const ACCEPT_TERMS: Spec = booking::PAYMENT_PAGE_SERVICE_ACCEPT_TERMS_SPEC;

/// Has a new key of such a page mailed.
pub(crate) const RENEW_PAGE_KEY: Spec = booking::PAYMENT_PAGE_SERVICE_RENEW_PAGE_KEY_SPEC;

/// Takes over what was scheduled in the provider's widget.
pub(crate) const TAKE_SCHEDULED_EVENT: Spec =
    booking::BOOKING_CALENDAR_SERVICE_TAKE_SCHEDULED_EVENT_SPEC;

/// Lists free slots.
pub(crate) const LIST_SLOTS: Spec = booking::BOOKING_SERVICE_LIST_SLOTS_SPEC;

/// Unsubscribes from mails.
pub(crate) const UNSUBSCRIBE: Spec = notifications::NOTIFICATIONS_SERVICE_UNSUBSCRIBE_SPEC;
/// Undoes an unsubscription.
const RESUBSCRIBE: Spec = notifications::NOTIFICATIONS_SERVICE_RESUBSCRIBE_SPEC;
/// Forms that send mails without authentication; the acknowledgement goes to any address given.
const FORMS: [Spec; 2] = [
    notifications::NOTIFICATIONS_SERVICE_SEND_CONTACT_MESSAGE_SPEC,
    notifications::NOTIFICATIONS_SERVICE_REQUEST_MEDITATION_GUIDE_SPEC,
];

/// Reads by a secret, which must stand in no URL: so they are no GET and not marked as reads.
const SECRET_READS: [Spec; 5] = [
    booking::ORGANISATION_SERVICE_GET_INVITATION_SPEC,
    payments::PAGE_PAYMENT_SERVICE_LIST_PAGE_RECEIPTS_SPEC,
    booking::PAYMENT_PAGE_SERVICE_GET_PAYMENT_PAGE_SPEC,
    booking::PAYMENT_PAGE_SERVICE_GET_PAGE_CALENDAR_FILE_SPEC,
    booking::JOIN_PAGE_SERVICE_OPEN_JOIN_PAGE_SPEC,
];

/// Public calls of booking that concern no slot, so that they empty no cache.
const NO_SLOTS: [Spec; 2] =
    [RENEW_PAGE_KEY, booking::BOOKING_CALENDAR_SERVICE_OPEN_SCHEDULING_VISIT_SPEC];

const PROCEDURES: &[(Spec, Access)] = &[
    (catalogue::CATALOGUE_SERVICE_GET_PRACTICE_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_LIST_SERVICES_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_GET_SERVICE_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_LIST_QUIZ_AREAS_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_LIST_FAQS_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_GET_MEDITATION_GUIDE_SPEC, Access::Cached),
    (catalogue::CATALOGUE_SERVICE_GET_CONSENT_TERMS_SPEC, Access::Cached),
    (LIST_SLOTS, Access::Public),
    (booking::BOOKING_SERVICE_REQUEST_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_OPEN_CHECKOUT_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_RELEASE_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_GET_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_GET_CALENDAR_FILE_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_WATCH_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_SERVICE_ADOPT_BOOKINGS_SPEC, Access::SignedIn),
    (booking::ORGANISATION_SERVICE_LIST_MY_MEMBERSHIPS_SPEC, Access::SignedIn),
    (booking::ORGANISATION_SERVICE_GET_INVITATION_SPEC, Access::Public),
    (booking::ORGANISATION_SERVICE_ACCEPT_INVITATION_SPEC, Access::SignedIn),
    (booking::ORGANISATION_SERVICE_DECLINE_INVITATION_SPEC, Access::SignedIn),
    (booking::ORGANISATION_SERVICE_LEAVE_PRACTICE_SPEC, Access::SignedIn),
    (booking::PAYMENT_PAGE_SERVICE_GET_PAYMENT_PAGE_SPEC, Access::Public),
    (ACCEPT_TERMS, Access::Public),
    (booking::PAYMENT_PAGE_SERVICE_REQUEST_CONSENT_CODE_SPEC, Access::Public),
    (booking::PAYMENT_PAGE_SERVICE_GET_PAGE_CALENDAR_FILE_SPEC, Access::Public),
    (RENEW_PAGE_KEY, Access::Public),
    (booking::JOIN_PAGE_SERVICE_OPEN_JOIN_PAGE_SPEC, Access::Public),
    (booking::JOIN_PAGE_SERVICE_GET_OWN_JOIN_PAGE_SPEC, Access::SignedIn),
    (booking::CONSENT_SERVICE_GET_CONSENT_SPEC, Access::SignedIn),
    (booking::CONSENT_SERVICE_GET_CONSENT_FILE_SPEC, Access::SignedIn),
    (booking::CONSENT_SERVICE_WITHDRAW_CONSENT_SPEC, Access::SignedIn),
    (booking::WIDGET_SERVICE_REPORT_BOOKING_SPEC, Access::SignedIn),
    (booking::WIDGET_SERVICE_GET_REPORT_SPEC, Access::Public),
    (payments::PAYMENTS_SERVICE_START_PAYMENT_SPEC, Access::SignedIn),
    (payments::PAYMENTS_SERVICE_SUBMIT_CHECKOUT_ANSWER_SPEC, Access::SignedIn),
    (payments::PAYMENTS_SERVICE_CHECK_PAYMENT_SPEC, Access::SignedIn),
    (payments::PAYMENTS_SERVICE_CLAIM_PAYMENT_SPEC, Access::SignedIn),
    (payments::PAYMENTS_SERVICE_LIST_RECEIPTS_SPEC, Access::SignedIn),
    (payments::PAYMENTS_SERVICE_SET_PAYER_SPEC, Access::SignedIn),
    (payments::PAGE_PAYMENT_SERVICE_START_PAGE_PAYMENT_SPEC, Access::Public),
    (payments::PAGE_PAYMENT_SERVICE_CHECK_PAGE_PAYMENT_SPEC, Access::Public),
    (payments::PAGE_PAYMENT_SERVICE_LIST_PAGE_RECEIPTS_SPEC, Access::Public),
    (notifications::NOTIFICATIONS_SERVICE_SEND_CONTACT_MESSAGE_SPEC, Access::Public),
    (notifications::NOTIFICATIONS_SERVICE_REQUEST_MEDITATION_GUIDE_SPEC, Access::Public),
    (UNSUBSCRIBE, Access::Public),
    (RESUBSCRIBE, Access::Public),
    (booking::BOOKING_STAFF_SERVICE_GET_OWN_ROLE_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_LIST_BOOKINGS_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_LIST_BLOCKED_TIMES_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_BLOCK_TIME_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_UNBLOCK_TIME_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_CANCEL_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_PREVIEW_CANCELLATION_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_ACCEPT_CLAIM_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_RELEASE_HOLD_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_MARK_ATTENDANCE_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_FIND_BOOKINGS_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_REQUEST_PHONE_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_SEND_PAYMENT_PAGE_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_GET_JOIN_PAGE_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_GET_BOOKING_HISTORY_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_LIST_PARKED_EVENTS_SPEC, Access::SignedIn),
    (booking::BOOKING_STAFF_SERVICE_RETRY_PARKED_EVENTS_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_SERVICE_GET_CALENDAR_BOOKING_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_SERVICE_OPEN_SCHEDULING_VISIT_SPEC, Access::Public),
    (TAKE_SCHEDULED_EVENT, Access::Public),
    (booking::BOOKING_CALENDAR_STAFF_SERVICE_LIST_CALENDAR_FEEDS_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_STAFF_SERVICE_RENEW_CALENDAR_FEED_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_STAFF_SERVICE_STOP_CALENDAR_FEED_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_STAFF_SERVICE_LIST_CALENDAR_SOURCES_SPEC, Access::SignedIn),
    (booking::BOOKING_CALENDAR_STAFF_SERVICE_READ_CALENDAR_SOURCE_SPEC, Access::SignedIn),
    (booking::CONSENT_STAFF_SERVICE_VERIFY_CONSENT_FILE_SPEC, Access::SignedIn),
    (booking::CONSENT_STAFF_SERVICE_LIST_WITHDRAWN_CONSENTS_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_LIST_MEMBERS_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_LIST_INVITATIONS_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_LIST_MEMBERSHIP_CHANGES_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_INVITE_MEMBER_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_RESEND_INVITATION_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_WITHDRAW_INVITATION_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_CHANGE_ROLE_SPEC, Access::SignedIn),
    (booking::ORGANISATION_STAFF_SERVICE_REMOVE_MEMBER_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_REFUND_PAYMENT_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_RELEASE_REFUND_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_RECORD_DESK_PAYMENT_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_RECORD_DESK_REFUND_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_LIST_UNEXPLAINED_ORDERS_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_EXPLAIN_ORDER_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_GET_BALANCES_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_CHECK_PROVIDER_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_GET_PAYMENT_HISTORY_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_LIST_LEDGER_ENTRIES_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_LIST_PARKED_EVENTS_SPEC, Access::SignedIn),
    (payments::PAYMENTS_STAFF_SERVICE_RETRY_PARKED_EVENTS_SPEC, Access::SignedIn),
    (notifications::NOTIFICATIONS_STAFF_SERVICE_LIST_MAILS_SPEC, Access::SignedIn),
    (notifications::NOTIFICATIONS_STAFF_SERVICE_RETRY_MAIL_SPEC, Access::SignedIn),
    (notifications::NOTIFICATIONS_STAFF_SERVICE_SETTLE_MAIL_SPEC, Access::SignedIn),
    (notifications::NOTIFICATIONS_STAFF_SERVICE_LIST_PARKED_EVENTS_SPEC, Access::SignedIn),
    (notifications::NOTIFICATIONS_STAFF_SERVICE_RETRY_PARKED_EVENTS_SPEC, Access::SignedIn),
    (reviews::REVIEWS_SERVICE_SUBMIT_REVIEW_SPEC, Access::Public),
    (reviews::REVIEWS_SERVICE_LIST_REVIEWS_SPEC, Access::Public),
    (reviews::REVIEWS_SERVICE_GET_REVIEW_SPEC, Access::Public),
    (reviews::REVIEWS_SERVICE_GET_STATISTICS_SPEC, Access::Public),
    (reviews::REVIEWS_SERVICE_CHECK_BADGE_SPEC, Access::Public),
    (reviews::REVIEWS_STAFF_SERVICE_GET_MODERATION_SPEC, Access::Panel),
    (UNLOCK, Access::Panel),
    (LOCK, Access::Panel),
    (reviews::REVIEWS_STAFF_SERVICE_LIST_STAFF_REVIEWS_SPEC, Access::Panel),
    (reviews::REVIEWS_STAFF_SERVICE_DELETE_REVIEW_SPEC, Access::Panel),
    (reviews::REVIEWS_STAFF_SERVICE_RESTORE_REVIEW_SPEC, Access::Panel),
    (reviews::REVIEWS_STAFF_SERVICE_LIST_PARKED_EVENTS_SPEC, Access::Panel),
    (reviews::REVIEWS_STAFF_SERVICE_RETRY_PARKED_EVENTS_SPEC, Access::Panel),
];

/// The calls by their path, "/package.Service/Method".
#[derive(Clone, Debug)]
pub(crate) struct Procedures(HashMap<&'static str, Procedure>);

impl Procedures {
    pub(crate) fn new() -> Self {
        let by_path =
            |&(spec, access): &(Spec, Access)| (spec.procedure, Procedure { spec, access });
        Self(PROCEDURES.iter().map(by_path).collect())
    }

    pub(crate) fn get(&self, path: &str) -> Option<Procedure> {
        self.0.get(path).copied()
    }
}

#[cfg(test)]
mod tests;
