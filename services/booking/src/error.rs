//! The errors of commands: why a command is rejected, with code, reason, field and text.

use kernel::{CommandError, Money};
use service::KeyRejection;

use crate::domain::consent::ConsentError;
use crate::domain::consent::code::SignatureError;
use crate::domain::contact::ContactError;
use crate::domain::organisation::OrganisationError;
use crate::domain::page_code::PageCodeError;

mod of_domain;
mod typed;

/// The error of a command.
pub type Error = CommandError<Rejection>;

impl KeyRejection for Rejection {
    const REUSED: Self = Self::IdempotencyKeyReused;
}

kernel::rejections! {
    /// Why a command is rejected. Its text is shown to users.
    pub enum Rejection {
        InvalidIdempotencyKey: InvalidArgument "INVALID_IDEMPOTENCY_KEY" @ "idempotency_key",
            "An idempotency key has 8 to 64 letters, digits or signs.";
        IdempotencyKeyReused: InvalidArgument "IDEMPOTENCY_KEY_REUSED" @ "idempotency_key",
            "This was already asked with other details. Please try again.";
        ServiceNotFound: NotFound "SERVICE_NOT_FOUND" @ "service_id",
            "We do not offer this service.";
        // The catalogue's price can not be charged.
        InvalidPrice: FailedPrecondition "INVALID_PRICE", "Invalid price value";
        InvalidStart: InvalidArgument "INVALID_START" @ "starts_at", "Please select a time";
        InvalidMode: InvalidArgument "INVALID_MODE" @ "mode", "Please choose online or in person.";
        // The caller has never given a consent, or not this one.
        ConsentNotFound: NotFound "CONSENT_NOT_FOUND", "There is no such consent.";
        InvalidConsentFile: InvalidArgument "INVALID_CONSENT_FILE" @ "content",
            "This is not a consent file.";
        ConsentRequired: FailedPrecondition "CONSENT_REQUIRED" @ "consent",
            "Please read and sign the consent to online sessions first.";
        // Staff would make a booking by phone of what costs nothing.
        NothingToPay: FailedPrecondition "NOTHING_TO_PAY" @ "service_id",
            "A session that costs nothing is booked by the client, with a proved address.";
        InvalidHoldMinutes: InvalidArgument "INVALID_HOLD_MINUTES" @ "hold_minutes",
            "A time is held for 15 minutes to 7 days.";
        NotByPhone: FailedPrecondition "NOT_BY_PHONE",
            "This booking was not made by phone. Its client pays for it when signed in.";
        // A later mail has a new key of the page.
        PageKeyEnded: FailedPrecondition "PAGE_KEY_ENDED",
            "This link has ended. We can mail you a new one.";
        PageOver: FailedPrecondition "PAGE_OVER",
            "The page of this booking has ended. Please write to us about it.";
        // The visit of the page with the widget has ended, or was begun elsewhere.
        VisitEnded: FailedPrecondition "VISIT_ENDED",
            "This page was open for too long. Please load it again and choose a time.";
        // Too many events of the widget were asked about, from one network or in all.
        TooManyScheduledEvents: ResourceExhausted "TOO_MANY_SCHEDULED_EVENTS",
            "Too many times were chosen just now. Please wait some minutes and try again.";
        TooManyPageKeys: ResourceExhausted "TOO_MANY_PAGE_KEYS",
            "Too many new links were asked for from your network. Please try again tomorrow.";
        BookingAdopted: FailedPrecondition "BOOKING_ADOPTED",
            "This booking belongs to an account. It is shown there after signing in.";
        TermsNotAccepted: FailedPrecondition "TERMS_NOT_ACCEPTED" @ "terms_accepted",
            "Please agree to our simple terms to book your session.";
        // What the page says that it showed can't be the name of a version.
        InvalidShownTexts: InvalidArgument "INVALID_SHOWN_TEXTS" @ "shown",
            "This page is too old or damaged. Please load it again.";
        SlotTaken: Aborted "SLOT_TAKEN" @ "starts_at",
            "This time was just taken. Please choose another one.";
        // The time is past, or closer than the notice period.
        SlotPast: FailedPrecondition "SLOT_PAST" @ "starts_at",
            "This time has passed. Please choose another one.";
        SlotNotOffered: FailedPrecondition "SLOT_NOT_OFFERED" @ "starts_at",
            "This time is not offered. Please choose another one.";
        PackageNotOffered: FailedPrecondition "PACKAGE_NOT_OFFERED" @ "package_id",
            "This package is not offered for this session. Please choose another one.";
        WrongSessionCount(count: i32): InvalidArgument "WRONG_SESSION_COUNT" @ "further_starts_at",
            "Please choose {count} dates: this package has that many sessions.";
        SameDate: InvalidArgument "SAME_DATE" @ "further_starts_at",
            "Please choose another date for each session.";
        DatesTooFarApart(days: i32): InvalidArgument "DATES_TOO_FAR_APART" @ "further_starts_at",
            "Please choose dates that are at most {days} days apart.";
        SessionNotFound: InvalidArgument "SESSION_NOT_FOUND" @ "session_number",
            "This booking has no such session.";
        PractitionerNotFound: NotFound "PRACTITIONER_NOT_FOUND" @ "practitioner_id",
            "There is no such practitioner.";
        PractitionerNotOffered: FailedPrecondition "PRACTITIONER_NOT_OFFERED" @ "practitioner_id",
            "This practitioner does not give this session. Please choose another one.";
        OverlapsOwnSession: FailedPrecondition "OVERLAPS_OWN_SESSION" @ "starts_at",
            "You have another session at this time already. Please choose another time.";
        // What costs nothing is given to a proved address only.
        AddressNotProved: FailedPrecondition "ADDRESS_NOT_PROVED",
            "Please confirm your e-mail address first. We send you a code for that.";
        FreeSessionUsed: FailedPrecondition "FREE_SESSION_USED",
            "You have had your free consultation already. You are welcome to book a session.";
        TooManyHolds: FailedPrecondition "TOO_MANY_HOLDS",
            "You are holding other times already. Please pay for one or wait until it is free.";
        HeldTooOften(minutes: i32): ResourceExhausted "HELD_TOO_OFTEN",
            "Several times were held without a payment. Please try again in {minutes} minutes.";
        HoldEnded: FailedPrecondition "HOLD_ENDED",
            "Your time is not held any more. Please choose a time again.";
        CheckoutOpened: FailedPrecondition "CHECKOUT_OPENED",
            "The payment was opened already, so this time stays held until it ends.";
        // The booking doesn't exist, or the caller doesn't own it.
        BookingNotFound: NotFound "BOOKING_NOT_FOUND", "There is no such booking.";
        InvalidPageToken: InvalidArgument "INVALID_PAGE_TOKEN" @ "page_token",
            "This page of bookings cannot be found. Please load the list again.";
        NotConfirmed: FailedPrecondition "BOOKING_NOT_CONFIRMED",
            "This booking is not confirmed yet.";
        InvalidDate: InvalidArgument "INVALID_DATE" @ "from_date", "Please choose a date.";
        RangeTooLong(days: i32): InvalidArgument "RANGE_TOO_LONG" @ "days",
            "At most {days} days can be shown at once.";
        // The date of a block is malformed, past or too far ahead.
        InvalidDay: InvalidArgument "INVALID_DATE" @ "date", "Please choose a day from today on.";
        InvalidTime: InvalidArgument "INVALID_TIME" @ "from_time",
            "Please choose a time that begins before it ends.";
        // A time cannot be closed, or a claim not be accepted, because the time is occupied.
        TimeOccupied: Aborted "SLOT_TAKEN",
            "Something else is held, booked or closed in this time.";
        BlockNotFound: NotFound "BLOCK_NOT_FOUND", "There is no such closed time.";
        CalendarFeedNotFound: NotFound "CALENDAR_FEED_NOT_FOUND",
            "There is no calendar at this address.";
        CalendarSourceNotFound: NotFound "CALENDAR_SOURCE_NOT_FOUND", "There is no such calendar.";
        InvalidCancelledBy: InvalidArgument "INVALID_CANCELLED_BY" @ "cancelled_by",
            "Please say whether the customer or the practice cancels.";
        InvalidRefund: InvalidArgument "INVALID_REFUND" @ "refund",
            "Please choose a refund by policy, a full one or none.";
        NotCancellable: FailedPrecondition "NOT_CANCELLABLE",
            "Only a confirmed booking whose session has not ended can be cancelled.";
        // A client cancels its own booking.
        SessionBegun: FailedPrecondition "SESSION_BEGUN",
            "This session has begun and can't be cancelled any more. Please write to us.";
        CancellationPending: FailedPrecondition "CANCELLATION_PENDING",
            "A cancellation of this booking takes effect in a few minutes. Please wait until then.";
        CancellationTookEffect: FailedPrecondition "CANCELLATION_TOOK_EFFECT",
            "The cancellation has taken effect and can't be taken back any more.";
        // The client was shown more than what goes back now.
        RefundFell(refund: Money): Aborted "REFUND_FELL" @ "shown_refund",
            "Less comes back now: {refund}. Nothing was cancelled.";
        InvalidShownRefund: InvalidArgument "INVALID_SHOWN_REFUND" @ "shown_refund",
            "Please say which sum was shown.";
        NotMovable: FailedPrecondition "NOT_MOVABLE",
            "Only a session of a confirmed booking that has not ended can be moved.";
        // A client moves its own session.
        MoveTooLate: FailedPrecondition "MOVE_TOO_LATE",
            "It is too late to move this session. Please write to us if you can't come.";
        MovedTooOften: FailedPrecondition "MOVED_TOO_OFTEN",
            "This session can't be moved any more. You can cancel it, or write to us.";
        // The client is asked for another time of another session of the package.
        MoveProposed: FailedPrecondition "MOVE_PROPOSED",
            "Another time is asked for another session of this booking. Please wait for that.";
        NoMoveProposal: FailedPrecondition "NO_MOVE_PROPOSAL",
            "No other time is asked for, or the time to choose one is over.";
        KeepsPractitioner: FailedPrecondition "KEEPS_PRACTITIONER" @ "practitioner_id",
            "Only a booking with one session can be moved to another practitioner.";
        MoveReason: InvalidArgument "INVALID_REASON" @ "reason",
            "Please write a reason of 1 to 500 characters.";
        // Of a package.
        OutOfOrder: FailedPrecondition "OUT_OF_ORDER" @ "starts_at",
            "Please choose a date between the sessions before and after this one.";
        // It is at another time than the caller was shown.
        ChangedSince: Aborted "CHANGED_SINCE" @ "shown_starts_at",
            "This session was moved meanwhile. Please look at its new time first.";
        InvalidMovedBy: InvalidArgument "INVALID_MOVED_BY" @ "moved_by",
            "Please say whether the client or the practice wants the session moved.";
        InvalidAttendance: InvalidArgument "INVALID_ATTENDANCE" @ "attendance",
            "Please say whether the client came, came late or did not come.";
        // The session has not begun, is over for more than 14 days, or does not take place.
        NotMarkable: FailedPrecondition "NOT_MARKABLE",
            "A session is marked from its start until 14 days after its end.";
        // The payment was never claimed, or the claim is settled.
        NotClaimed: FailedPrecondition "NOT_CLAIMED",
            "The customer has not said that this booking is paid, or that was settled already.";
        SessionEnded: FailedPrecondition "SLOT_PAST", "The session of this booking has ended.";
        InvalidReportId: InvalidArgument "INVALID_REPORT_ID" @ "report_id",
            "A report's id has 32 hexadecimal digits in lower case.";
        // The report has ended, or another account has its id.
        ReportEnded: FailedPrecondition "REPORT_ENDED" @ "report_id",
            "The page that this booking began on can't be told of it any more.";
        TooManyReports: ResourceExhausted "TOO_MANY_REPORTS",
            "Too many bookings were begun on other pages. Please wait a little.";
        WidgetNotOffered: FailedPrecondition "WIDGET_NOT_OFFERED" @ "service_id",
            "The time of this session is chosen in our own calendar.";
        EventTypesUnavailable: Unavailable "EVENT_TYPES_UNAVAILABLE", "Failed to fetch event types";
        NoEventTypes: FailedPrecondition "NO_EVENT_TYPES", "No event types found";
        ScheduledEventUnavailable: Unavailable "SCHEDULED_EVENT_UNAVAILABLE",
            "Failed to create booking: Unknown error";
        // The scheduling provider has no such event, or it was cancelled or scheduled elsewhere.
        ScheduledEventNotFound: NotFound "SCHEDULED_EVENT_NOT_FOUND" @ "event_uri",
            "Failed to create booking: The calendar has no such appointment.";
        OtherEventType: FailedPrecondition "OTHER_EVENT_TYPE" @ "event_uri",
            "Failed to create booking: This appointment is of another kind.";
        // Another booking has the event, or it was given back, or is of another time or service.
        ScheduledEventUsed: FailedPrecondition "SCHEDULED_EVENT_USED" @ "scheduled_event_uri",
            "This appointment was used or given back. Please choose a time again.";
        // Another client's entry, too, and one that is over.
        WaitingNotFound: NotFound "WAITING_NOT_FOUND", "You are not on this wait list any more.";
        TooManyWaiting: FailedPrecondition "TOO_MANY_WAITING",
            "You wait for five times already. Please leave one of these lists first.";
        WishFrom: InvalidArgument "INVALID_WISH" @ "wish.from_date", "Please choose a date.";
        WishDates: InvalidArgument "INVALID_WISH" @ "wish.until_date",
            "Please choose days from today on, at most 60 days ahead.";
        WishWeekdays: InvalidArgument "INVALID_WISH" @ "wish.weekdays",
            "Please choose days of the week.";
        WishDayParts: InvalidArgument "INVALID_WISH" @ "wish.day_parts",
            "Please choose parts of the day.";
        WishNotice: InvalidArgument "INVALID_WISH" @ "wish.notice_minutes",
            "Please choose a notice of at most 48 hours.";
        InvalidWaitingName: InvalidArgument "INVALID_FIRST_NAME" @ "first_name",
            "Please enter your first name.";
        InvalidReason: InvalidArgument "INVALID_REASON" @ "reason",
            "Please write a reason of 3 to 200 characters.";
        // Another time is offered to this client, or is being paid.
        HasOffer: FailedPrecondition "HAS_OFFER",
            "Another time is offered to this client now. Please wait until that is answered.";
        // A session is corrected or told late.
        NotCorrectable: FailedPrecondition "SESSION_ENDED",
            "This session is over, so its details can't be changed any more.";
        NotLate: FailedPrecondition "NOT_LATE",
            "You can tell us from an hour before a session until it ends.";
        InvalidMinutes: InvalidArgument "INVALID_MINUTES" @ "minutes",
            "Please choose 5, 10 or 15 minutes.";
        InvalidReminderHours: InvalidArgument "INVALID_REMINDER_HOURS"
            @ "preferences.reminder_hours",
            "Please choose at most two of 48, 24, 12, 4, 2 and 1 hours.";
        ..InvalidContact(ContactError);
        ..InvalidConsent(ConsentError);
        ..NotSigned(SignatureError);
        ..PageCode(PageCodeError);
        ..Organisation(OrganisationError);
    }
}

/// A rejection as an error, for `?`.
pub(crate) fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}
