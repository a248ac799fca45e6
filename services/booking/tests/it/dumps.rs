//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use booking::config::{Config, GrantConfig, RoleConfig, TryMeetingsConfig, migration};
use booking::domain::consent::ConsentError;
use booking::domain::consent::code::SignatureError;
use booking::domain::contact::ContactError;
use booking::domain::organisation::OrganisationError;
use booking::domain::page_code::PageCodeError;
use booking::error::Rejection;
use kernel::Money;
use kernel::typed::TextProblem;
use testkit::{dump, every_variant};

#[test]
fn rejections_reach_callers_like_this() {
    let mut all = every_variant!(
        Rejection: InvalidIdempotencyKey, IdempotencyKeyReused, ServiceNotFound, InvalidPrice,
        PackageNotOffered, WrongSessionCount(3), SameDate, DatesTooFarApart(60), SessionNotFound,
        InvalidStart, InvalidMode, InvalidContact(ContactError::NotesTooLong),
        InvalidConsent(ConsentError::VersionUnknown), ConsentNotFound, InvalidConsentFile,
        TermsNotAccepted, InvalidShownTexts, HeldTooOften(20),
        SlotTaken, SlotPast, SlotNotOffered, TooManyHolds, HoldEnded, CheckoutOpened,
        BookingNotFound, NotConfirmed, InvalidDate, RangeTooLong(31), InvalidDay, InvalidTime,
        TimeOccupied, BlockNotFound, InvalidCancelledBy, InvalidRefund, NotCancellable, NotClaimed,
        InvalidAttendance, NotMarkable, InvalidPageToken, SessionBegun, CancellationPending,
        NotMovable, MoveTooLate, MovedTooOften, OutOfOrder, ChangedSince, InvalidMovedBy,
        CancellationTookEffect, RefundFell(Money::inr(75_000)), InvalidShownRefund,
        SessionEnded, PractitionerNotFound, PractitionerNotOffered, OverlapsOwnSession,
        AddressNotProved, FreeSessionUsed, InvalidReportId, ReportEnded, TooManyReports,
        CalendarFeedNotFound, CalendarSourceNotFound, ConsentRequired,
        NotSigned(SignatureError::CodeRequired), PageCode(PageCodeError::Required), NothingToPay,
        InvalidHoldMinutes, NotByPhone, WidgetNotOffered, EventTypesUnavailable,
        NoEventTypes, ScheduledEventUnavailable, ScheduledEventNotFound, OtherEventType,
        ScheduledEventUsed, PageKeyEnded, PageOver, BookingAdopted, TooManyPageKeys, VisitEnded,
        TooManyScheduledEvents, Organisation(OrganisationError::LastOwner),
        WaitingNotFound, TooManyWaiting, WishFrom, WishDates, WishWeekdays, WishDayParts,
        WishNotice, InvalidWaitingName, InvalidReason, HasOffer, NotCorrectable, NotLate,
        InvalidMinutes, InvalidReminderHours, MoveProposed, NoMoveProposal, KeepsPractitioner,
        MoveReason,
    );
    let contacts = every_variant!(
        ContactError: FirstName(TextProblem::Missing), LastName(TextProblem::Missing), EmailMissing,
        EmailInvalid, PhoneInvalid, NotesTooLong,
    );
    let consents = every_variant!(
        ConsentError: VersionUnknown, FullName(TextProblem::Missing), EmailMissing, EmailInvalid,
        Signature(TextProblem::Missing), DeclarationNotAccepted,
    );
    let problems = every_variant!(TextProblem: Missing, Letterless, Control, TooLong);
    let organisation = every_variant!(
        OrganisationError: InvalidEmail, InvalidRole, RoleAboveOwn, LastOwner, MemberNotFound,
        InvitationNotFound, InvitationEnded, ForAnotherAddress, AlreadyInvited, AlreadyMember,
        TooManyInvitations, NotOwnCalendar,
    );
    let unsigned = every_variant!(
        SignatureError: CodeRequired, CodeWrong, CodeEnded, TooManyCodes, ByStaff,
    );
    let of_pages = every_variant!(PageCodeError: Required, Wrong, Ended, TooMany);
    all.extend(unsigned.into_iter().map(Rejection::NotSigned));
    all.extend(of_pages.into_iter().map(Rejection::PageCode));
    all.extend(organisation.into_iter().map(Rejection::Organisation));
    let names = problems
        .iter()
        .flat_map(|problem| [ContactError::FirstName(*problem), ContactError::LastName(*problem)]);
    all.extend(contacts.into_iter().chain(names).map(Rejection::InvalidContact));
    let lines = problems
        .iter()
        .flat_map(|problem| [ConsentError::FullName(*problem), ConsentError::Signature(*problem)]);
    all.extend(consents.into_iter().chain(lines).map(Rejection::InvalidConsent));
    insta::assert_snapshot!("rejections", dump::rejections(&all));
}

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_migrate", dump::settings(migration));
    insta::assert_snapshot!("settings_of_grant", dump::settings(GrantConfig::read));
    insta::assert_snapshot!("settings_of_role", dump::settings(RoleConfig::read));
    let of_trial = dump::settings(TryMeetingsConfig::read);
    insta::assert_snapshot!("settings_of_try_meetings", of_trial);
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] =
        &[&[], &["migrate"], &["help"], &["migrate", "more"], &["grant"], &["role"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_booking"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
