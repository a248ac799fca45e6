//! The errors of commands: why a command is rejected, with code, reason, field and text.

use kernel::{Code, CommandError, Reject};

use crate::domain::organisation::OrganisationError;
use crate::domain::{consent, contact};

mod of_domain;
mod organisation;
mod signature;
mod typed;

/// The error of a command.
pub type Error = CommandError<Rejection>;

/// Why a command is rejected. Its text is shown to users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Not 8 to 64 printable characters.
    #[error("An idempotency key has 8 to 64 letters, digits or signs.")]
    InvalidIdempotencyKey,
    /// The key was used for another request.
    #[error("This was already asked with other details. Please try again.")]
    IdempotencyKeyReused,
    /// No such service.
    #[error("We do not offer this service.")]
    ServiceNotFound,
    /// The catalogue's price can not be charged.
    #[error("Invalid price value")]
    InvalidPrice,
    /// There is no start, or it is out of range.
    #[error("Please select a time")]
    InvalidStart,
    /// Neither online nor in person.
    #[error("Please choose online or in person.")]
    InvalidMode,
    /// A field of the contact data is invalid.
    #[error("{}", typed::contact_text(*.0))]
    InvalidContact(contact::ContactError),
    /// A part of the consent is invalid.
    #[error("{}", typed::consent_words(*.0).text)]
    InvalidConsent(consent::ConsentError),
    /// The caller has never given a consent, or not this one.
    #[error("There is no such consent.")]
    ConsentNotFound,
    /// A text is no consent file, or is too long for one.
    #[error("This is not a consent file.")]
    InvalidConsentFile,
    /// An online session needs a consent that was not given.
    #[error("Please read and sign the consent to online sessions first.")]
    ConsentRequired,
    /// It is not shown that the client signs.
    #[error("{}", signature::words(*.0).text)]
    NotSigned(consent::code::SignatureError),
    /// Staff would make a booking by phone of what costs nothing.
    #[error("A session that costs nothing is booked by the client, with a proved address.")]
    NothingToPay,
    /// A time cannot be held for so long.
    #[error("A time is held for 15 minutes to 7 days.")]
    InvalidHoldMinutes,
    /// The booking was not made by phone, so it has no page of payment.
    #[error("This booking was not made by phone. Its client pays for it when signed in.")]
    NotByPhone,
    /// A later mail has a new key of the page.
    #[error("This link has ended. We can mail you a new one.")]
    PageKeyEnded,
    /// The page of a booking shows nothing any more.
    #[error("The page of this booking has ended. Please write to us about it.")]
    PageOver,
    /// The visit of the page with the widget has ended, or was begun elsewhere.
    #[error("This page was open for too long. Please load it again and choose a time.")]
    VisitEnded,
    /// Too many events of the widget were asked about, from one network or in all.
    #[error("Too many times were chosen just now. Please wait some minutes and try again.")]
    TooManyScheduledEvents,
    /// Too many new keys were asked for from one network.
    #[error("Too many new links were asked for from your network. Please try again tomorrow.")]
    TooManyPageKeys,
    /// The booking belongs to an account.
    #[error("This booking belongs to an account. It is shown there after signing in.")]
    BookingAdopted,
    /// The terms were not accepted.
    #[error("Please agree to our simple terms to book your session.")]
    TermsNotAccepted,
    /// What the page says that it showed can't be the name of a version.
    #[error("This page is too old or damaged. Please load it again.")]
    InvalidShownTexts,
    /// Another booking or a closed time occupies the time.
    #[error("This time was just taken. Please choose another one.")]
    SlotTaken,
    /// The time is past, or closer than the notice period.
    #[error("This time has passed. Please choose another one.")]
    SlotPast,
    /// The timetable has no such start.
    #[error("This time is not offered. Please choose another one.")]
    SlotNotOffered,
    /// The package isn't offered for this service, or not at all.
    #[error("This package is not offered for this session. Please choose another one.")]
    PackageNotOffered,
    /// A package has another number of sessions; the right one is attached.
    #[error("Please choose {0} dates: this package has that many sessions.")]
    WrongSessionCount(i32),
    /// Two sessions of a package are on the same date.
    #[error("Please choose another date for each session.")]
    SameDate,
    /// The dates of a package are further apart than it allows; the most days are attached.
    #[error("Please choose dates that are at most {0} days apart.")]
    DatesTooFarApart(i32),
    /// The booking has no session of this number.
    #[error("This booking has no such session.")]
    SessionNotFound,
    /// There is no such practitioner.
    #[error("There is no such practitioner.")]
    PractitionerNotFound,
    /// The practitioner doesn't give this service.
    #[error("This practitioner does not give this session. Please choose another one.")]
    PractitionerNotOffered,
    /// The customer has another session at that time, with another practitioner.
    #[error("You have another session at this time already. Please choose another time.")]
    OverlapsOwnSession,
    /// What costs nothing is given to a proved address only.
    #[error("Please confirm your e-mail address first. We send you a code for that.")]
    AddressNotProved,
    /// The address has had what costs nothing.
    #[error("You have had your free consultation already. You are welcome to book a session.")]
    FreeSessionUsed,
    /// The customer has the maximum number of live holds.
    #[error("You are holding other times already. Please pay for one or wait until it is free.")]
    TooManyHolds,
    /// Times were held too often without a payment; the minutes to wait are attached.
    #[error("Several times were held without a payment. Please try again in {0} minutes.")]
    HeldTooOften(i32),
    /// The hold has expired.
    #[error("Your time is not held any more. Please choose a time again.")]
    HoldEnded,
    /// Checkout was opened already.
    #[error("The payment was opened already, so this time stays held until it ends.")]
    CheckoutOpened,
    /// The booking doesn't exist, or the caller doesn't own it.
    #[error("There is no such booking.")]
    BookingNotFound,
    /// The booking isn't confirmed, so it has no calendar file yet.
    #[error("This booking is not confirmed yet.")]
    NotConfirmed,
    /// The first date is malformed.
    #[error("Please choose a date.")]
    InvalidDate,
    /// More days were requested than allowed; the maximum is attached.
    #[error("At most {0} days can be shown at once.")]
    RangeTooLong(i32),
    /// The date of a block is malformed, past or too far ahead.
    #[error("Please choose a day from today on.")]
    InvalidDay,
    /// The time range of a block is malformed or empty.
    #[error("Please choose a time that begins before it ends.")]
    InvalidTime,
    /// A time cannot be closed, or a claim not be accepted, because the time is occupied.
    #[error("Something else is held, booked or closed in this time.")]
    TimeOccupied,
    /// No such block.
    #[error("There is no such closed time.")]
    BlockNotFound,
    /// No practitioner's sessions have this address.
    #[error("There is no calendar at this address.")]
    CalendarFeedNotFound,
    /// The practice's file names no such calendar.
    #[error("There is no such calendar.")]
    CalendarSourceNotFound,
    /// `cancelled_by` is neither the customer nor the practice.
    #[error("Please say whether the customer or the practice cancels.")]
    InvalidCancelledBy,
    /// Unknown kind of refund.
    #[error("Please choose a refund by policy, a full one or none.")]
    InvalidRefund,
    /// The booking isn't confirmed, or its session has ended.
    #[error("Only a confirmed booking whose session has not ended can be cancelled.")]
    NotCancellable,
    /// `attendance` is none that is known.
    #[error("Please say whether the client came, came late or did not come.")]
    InvalidAttendance,
    /// The session has not begun, is over for more than 14 days, or does not take place.
    #[error("A session is marked from its start until 14 days after its end.")]
    NotMarkable,
    /// The payment was never claimed, or the claim is settled.
    #[error("The customer has not said that this booking is paid, or that was settled already.")]
    NotClaimed,
    /// The session has ended.
    #[error("The session of this booking has ended.")]
    SessionEnded,
    /// A report's id is not 32 hexadecimal digits.
    #[error("A report's id has 32 hexadecimal digits in lower case.")]
    InvalidReportId,
    /// The report has ended, or another account has its id.
    #[error("The page that this booking began on can't be told of it any more.")]
    ReportEnded,
    /// A change of the practice's members is rejected.
    #[error("{}", organisation::text(*.0))]
    Organisation(OrganisationError),
    /// The account has the maximum number of reports.
    #[error("Too many bookings were begun on other pages. Please wait a little.")]
    TooManyReports,
    /// The service's time isn't chosen in the scheduling provider's widget.
    #[error("The time of this session is chosen in our own calendar.")]
    WidgetNotOffered,
    /// The scheduling provider does not name its event types.
    #[error("Failed to fetch event types")]
    EventTypesUnavailable,
    /// The scheduling provider's account has no event types.
    #[error("No event types found")]
    NoEventTypes,
    /// The scheduling provider does not say what was scheduled.
    #[error("Failed to create booking: Unknown error")]
    ScheduledEventUnavailable,
    /// The scheduling provider has no such event, or it was cancelled or scheduled elsewhere.
    #[error("Failed to create booking: The calendar has no such appointment.")]
    ScheduledEventNotFound,
    /// The event is of another type than the service's.
    #[error("Failed to create booking: This appointment is of another kind.")]
    OtherEventType,
    /// Another booking has the event, or it was given back, or is of another time or service.
    #[error("This appointment was used or given back. Please choose a time again.")]
    ScheduledEventUsed,
}

impl Reject for Rejection {
    fn code(&self) -> Code {
        match self {
            Self::InvalidIdempotencyKey
            | Self::IdempotencyKeyReused
            | Self::InvalidStart
            | Self::InvalidMode
            | Self::InvalidContact(_)
            | Self::InvalidDate
            | Self::RangeTooLong(_)
            | Self::InvalidDay
            | Self::InvalidTime
            | Self::WrongSessionCount(_)
            | Self::SameDate
            | Self::DatesTooFarApart(_)
            | Self::SessionNotFound
            | Self::InvalidCancelledBy
            | Self::InvalidConsentFile
            | Self::InvalidReportId
            | Self::InvalidHoldMinutes
            | Self::InvalidAttendance
            | Self::InvalidShownTexts
            | Self::InvalidRefund => Code::InvalidArgument,
            Self::InvalidConsent(wrong) => typed::consent_code(*wrong),
            Self::Organisation(wrong) => organisation::code(*wrong),
            Self::NotSigned(wrong) => signature::words(*wrong).code,
            Self::ServiceNotFound
            | Self::PractitionerNotFound
            | Self::BookingNotFound
            | Self::ConsentNotFound
            | Self::BlockNotFound
            | Self::CalendarFeedNotFound
            | Self::CalendarSourceNotFound
            | Self::ScheduledEventNotFound => Code::NotFound,
            Self::SlotTaken | Self::TimeOccupied => Code::Aborted,
            Self::TooManyReports
            | Self::TooManyPageKeys
            | Self::TooManyScheduledEvents
            | Self::HeldTooOften(_) => Code::ResourceExhausted,
            Self::EventTypesUnavailable | Self::ScheduledEventUnavailable => Code::Unavailable,
            Self::InvalidPrice
            | Self::ConsentRequired
            | Self::NothingToPay
            | Self::NotByPhone
            | Self::PageKeyEnded
            | Self::PageOver
            | Self::BookingAdopted
            | Self::TermsNotAccepted
            | Self::SlotPast
            | Self::SlotNotOffered
            | Self::PackageNotOffered
            | Self::PractitionerNotOffered
            | Self::OverlapsOwnSession
            | Self::AddressNotProved
            | Self::FreeSessionUsed
            | Self::TooManyHolds
            | Self::HoldEnded
            | Self::CheckoutOpened
            | Self::NotConfirmed
            | Self::NotCancellable
            | Self::NotMarkable
            | Self::NotClaimed
            | Self::ReportEnded
            | Self::WidgetNotOffered
            | Self::NoEventTypes
            | Self::OtherEventType
            | Self::ScheduledEventUsed
            | Self::VisitEnded
            | Self::SessionEnded => Code::FailedPrecondition,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::InvalidIdempotencyKey => "INVALID_IDEMPOTENCY_KEY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::ServiceNotFound => "SERVICE_NOT_FOUND",
            Self::InvalidPrice => "INVALID_PRICE",
            Self::InvalidStart => "INVALID_START",
            Self::InvalidMode => "INVALID_MODE",
            Self::InvalidContact(wrong) => typed::contact_reason(*wrong).0,
            Self::InvalidConsent(wrong) => typed::consent_words(*wrong).reason,
            Self::Organisation(wrong) => organisation::reason(*wrong),
            Self::ConsentNotFound => "CONSENT_NOT_FOUND",
            Self::InvalidConsentFile => "INVALID_CONSENT_FILE",
            Self::ConsentRequired => "CONSENT_REQUIRED",
            Self::NotSigned(wrong) => signature::words(*wrong).reason,
            Self::NothingToPay => "NOTHING_TO_PAY",
            Self::InvalidHoldMinutes => "INVALID_HOLD_MINUTES",
            Self::NotByPhone => "NOT_BY_PHONE",
            Self::PageKeyEnded => "PAGE_KEY_ENDED",
            Self::PageOver => "PAGE_OVER",
            Self::TooManyPageKeys => "TOO_MANY_PAGE_KEYS",
            Self::VisitEnded => "VISIT_ENDED",
            Self::TooManyScheduledEvents => "TOO_MANY_SCHEDULED_EVENTS",
            Self::BookingAdopted => "BOOKING_ADOPTED",
            Self::TermsNotAccepted => "TERMS_NOT_ACCEPTED",
            Self::InvalidShownTexts => "INVALID_SHOWN_TEXTS",
            Self::SlotTaken | Self::TimeOccupied => "SLOT_TAKEN",
            Self::SlotPast | Self::SessionEnded => "SLOT_PAST",
            Self::SlotNotOffered => "SLOT_NOT_OFFERED",
            Self::PackageNotOffered => "PACKAGE_NOT_OFFERED",
            Self::WrongSessionCount(_) => "WRONG_SESSION_COUNT",
            Self::SameDate => "SAME_DATE",
            Self::DatesTooFarApart(_) => "DATES_TOO_FAR_APART",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::PractitionerNotFound => "PRACTITIONER_NOT_FOUND",
            Self::PractitionerNotOffered => "PRACTITIONER_NOT_OFFERED",
            Self::OverlapsOwnSession => "OVERLAPS_OWN_SESSION",
            Self::AddressNotProved => "ADDRESS_NOT_PROVED",
            Self::FreeSessionUsed => "FREE_SESSION_USED",
            Self::TooManyHolds => "TOO_MANY_HOLDS",
            Self::HeldTooOften(_) => "HELD_TOO_OFTEN",
            Self::HoldEnded => "HOLD_ENDED",
            Self::CheckoutOpened => "CHECKOUT_OPENED",
            Self::BookingNotFound => "BOOKING_NOT_FOUND",
            Self::NotConfirmed => "BOOKING_NOT_CONFIRMED",
            Self::InvalidDate | Self::InvalidDay => "INVALID_DATE",
            Self::RangeTooLong(_) => "RANGE_TOO_LONG",
            Self::InvalidTime => "INVALID_TIME",
            Self::BlockNotFound => "BLOCK_NOT_FOUND",
            Self::CalendarFeedNotFound => "CALENDAR_FEED_NOT_FOUND",
            Self::CalendarSourceNotFound => "CALENDAR_SOURCE_NOT_FOUND",
            Self::InvalidCancelledBy => "INVALID_CANCELLED_BY",
            Self::InvalidRefund => "INVALID_REFUND",
            Self::NotCancellable => "NOT_CANCELLABLE",
            Self::InvalidAttendance => "INVALID_ATTENDANCE",
            Self::NotMarkable => "NOT_MARKABLE",
            Self::NotClaimed => "NOT_CLAIMED",
            Self::InvalidReportId => "INVALID_REPORT_ID",
            Self::ReportEnded => "REPORT_ENDED",
            Self::TooManyReports => "TOO_MANY_REPORTS",
            Self::WidgetNotOffered => "WIDGET_NOT_OFFERED",
            Self::EventTypesUnavailable => "EVENT_TYPES_UNAVAILABLE",
            Self::NoEventTypes => "NO_EVENT_TYPES",
            Self::ScheduledEventUnavailable => "SCHEDULED_EVENT_UNAVAILABLE",
            Self::ScheduledEventNotFound => "SCHEDULED_EVENT_NOT_FOUND",
            Self::OtherEventType => "OTHER_EVENT_TYPE",
            Self::ScheduledEventUsed => "SCHEDULED_EVENT_USED",
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::InvalidIdempotencyKey | Self::IdempotencyKeyReused => Some("idempotency_key"),
            Self::ServiceNotFound | Self::NothingToPay | Self::WidgetNotOffered => {
                Some("service_id")
            }
            Self::ConsentRequired => Some("consent"),
            Self::NotSigned(wrong) => signature::words(*wrong).field,
            Self::InvalidHoldMinutes => Some("hold_minutes"),
            Self::ScheduledEventNotFound | Self::OtherEventType => Some("event_uri"),
            Self::ScheduledEventUsed => Some("scheduled_event_uri"),
            Self::InvalidStart
            | Self::SlotTaken
            | Self::SlotPast
            | Self::SlotNotOffered
            | Self::OverlapsOwnSession => Some("starts_at"),
            Self::PackageNotOffered => Some("package_id"),
            Self::WrongSessionCount(_) | Self::SameDate | Self::DatesTooFarApart(_) => {
                Some("further_starts_at")
            }
            Self::SessionNotFound => Some("session_number"),
            Self::PractitionerNotFound | Self::PractitionerNotOffered => Some("practitioner_id"),
            Self::InvalidMode => Some("mode"),
            Self::InvalidContact(wrong) => Some(typed::contact_reason(*wrong).1),
            Self::InvalidConsent(wrong) => Some(typed::consent_words(*wrong).field),
            Self::Organisation(wrong) => organisation::field(*wrong),
            Self::InvalidConsentFile => Some("content"),
            Self::TermsNotAccepted => Some("terms_accepted"),
            Self::InvalidShownTexts => Some("shown"),
            Self::InvalidDate => Some("from_date"),
            Self::RangeTooLong(_) => Some("days"),
            Self::InvalidDay => Some("date"),
            Self::InvalidTime => Some("from_time"),
            Self::InvalidCancelledBy => Some("cancelled_by"),
            Self::InvalidRefund => Some("refund"),
            Self::InvalidAttendance => Some("attendance"),
            Self::InvalidReportId | Self::ReportEnded => Some("report_id"),
            Self::InvalidPrice
            | Self::AddressNotProved
            | Self::FreeSessionUsed
            | Self::TooManyHolds
            | Self::HeldTooOften(_)
            | Self::HoldEnded
            | Self::CheckoutOpened
            | Self::BookingNotFound
            | Self::ConsentNotFound
            | Self::NotByPhone
            | Self::PageKeyEnded
            | Self::PageOver
            | Self::TooManyPageKeys
            | Self::VisitEnded
            | Self::TooManyScheduledEvents
            | Self::BookingAdopted
            | Self::NotConfirmed
            | Self::TimeOccupied
            | Self::BlockNotFound
            | Self::CalendarFeedNotFound
            | Self::CalendarSourceNotFound
            | Self::NotCancellable
            | Self::NotMarkable
            | Self::NotClaimed
            | Self::TooManyReports
            | Self::EventTypesUnavailable
            | Self::NoEventTypes
            | Self::ScheduledEventUnavailable
            | Self::SessionEnded => None,
        }
    }
}

/// A rejection as an error, for `?`.
pub(crate) fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}
