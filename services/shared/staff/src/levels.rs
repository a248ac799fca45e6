//! How lately the second factor must have been shown: a level for each call of staff. A stolen or
//! old session of staff cannot make the calls that move money, rights or clients' data out of the
//! practice.

use runtime::caller::User;

use crate::roles::StaffError;

/// How lately the session's second factor was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Within twelve hours: once for a working day.
    Today,
    /// Within five minutes.
    JustNow,
}

impl Level {
    /// The level of a call by its name, without its service. A call that is not in [`CALLS`] asks
    /// for the highest.
    #[must_use]
    pub fn of(action: &str) -> Self {
        let known = CALLS.iter().find(|(call, _)| *call == action);
        known.map_or(Self::JustNow, |(_, level)| *level)
    }

    /// The oldest second factor that it accepts.
    #[must_use]
    pub fn seconds_max(self) -> i64 {
        match self {
            Self::Today => 12 * 3600,
            Self::JustNow => 5 * 60,
        }
    }

    /// Accepts a session's second factor, by its age in seconds.
    ///
    /// # Errors
    /// Without one, or when it is older.
    pub fn accept(self, age_seconds: Option<i64>) -> Result<(), StaffError> {
        match age_seconds {
            None => Err(StaffError::SecondFactorRequired),
            Some(age) if age > self.seconds_max() => Err(StaffError::SecondFactorTooOld),
            Some(_) => Ok(()),
        }
    }

    /// The same for a person.
    pub(crate) fn accept_user(self, user: &User) -> Result<(), StaffError> {
        self.accept(user.second_factor_age())
    }
}

/// Every call of staff. A cancellation against the policy asks for more than one by the policy,
/// because its sender decides what goes back.
pub const CALLS: &[(&str, Level)] = &[
    // Money.
    ("RefundPayment", Level::JustNow),
    ("ReleaseRefund", Level::JustNow),
    ("RecordDeskPayment", Level::JustNow),
    ("RecordDeskRefund", Level::JustNow),
    ("AcceptClaim", Level::JustNow),
    ("ExplainOrder", Level::Today),
    ("ListUnexplainedOrders", Level::Today),
    ("GetBalances", Level::Today),
    ("ListLedgerEntries", Level::Today),
    ("GetPaymentHistory", Level::Today),
    ("CheckProvider", Level::Today),
    // Members.
    ("InviteMember", Level::JustNow),
    ("ResendInvitation", Level::JustNow),
    ("WithdrawInvitation", Level::JustNow),
    ("ChangeRole", Level::JustNow),
    ("RemoveMember", Level::JustNow),
    ("LeavePractice", Level::JustNow),
    ("ListMembers", Level::Today),
    ("ListInvitations", Level::Today),
    ("ListMembershipChanges", Level::Today),
    // Calendars: an address gives a right to read that outlasts the session.
    ("ListCalendarFeeds", Level::JustNow),
    ("RenewCalendarFeed", Level::JustNow),
    ("StopCalendarFeed", Level::JustNow),
    ("ListCalendarSources", Level::Today),
    ("ReadCalendarSource", Level::Today),
    // Bookings.
    ("ListBookings", Level::Today),
    ("ListBlockedTimes", Level::Today),
    ("BlockTime", Level::Today),
    ("UnblockTime", Level::Today),
    ("FindBookings", Level::Today),
    ("GetJoinPage", Level::Today),
    ("CancelBooking", Level::Today),
    ("PreviewCancellation", Level::Today),
    ("ReleaseHold", Level::Today),
    ("MarkAttendance", Level::Today),
    ("RequestPhoneBooking", Level::Today),
    ("SendPaymentPage", Level::Today),
    ("GetBookingHistory", Level::Today),
    ("VerifyConsentFile", Level::Today),
    ("ListWithdrawnConsents", Level::Today),
    // Mails, reviews, and what the services could not do.
    ("ListMails", Level::Today),
    ("RetryMail", Level::Today),
    ("SettleMail", Level::Today),
    ("Unlock", Level::Today),
    ("ListStaffReviews", Level::Today),
    ("DeleteReview", Level::Today),
    ("RestoreReview", Level::Today),
    ("ListParkedEvents", Level::Today),
    ("RetryParkedEvents", Level::Today),
];

#[cfg(test)]
mod tests {
    use super::{CALLS, Level};
    use crate::roles::StaffError::{SecondFactorRequired, SecondFactorTooOld};

    #[test]
    fn a_second_factor_counts_to_the_last_second_and_no_longer() {
        for (level, last) in [(Level::Today, 43_200), (Level::JustNow, 300)] {
            assert_eq!(level.accept(Some(0)), Ok(()));
            assert_eq!(level.accept(Some(last)), Ok(()));
            assert_eq!(level.accept(Some(last + 1)), Err(SecondFactorTooOld));
            assert_eq!(level.accept(None), Err(SecondFactorRequired));
            // The issuer's clock is a little ahead.
            assert_eq!(level.accept(Some(-3)), Ok(()));
        }
    }

    #[test]
    fn whatever_changes_members_asks_for_the_most() {
        for call in ["InviteMember", "ChangeRole", "RemoveMember", "LeavePractice"] {
            assert_eq!(Level::of(call), Level::JustNow, "{call}");
        }
    }

    #[test]
    fn what_is_not_known_asks_for_the_most() {
        assert_eq!(Level::of("RefundPayment"), Level::JustNow);
        assert_eq!(Level::of("ListBookings"), Level::Today);
        assert_eq!(Level::of("GiveEverythingAway"), Level::JustNow);
        for (at, (call, _)) in CALLS.iter().enumerate() {
            assert!(CALLS[..at].iter().all(|(other, _)| other != call), "{call} stands twice");
        }
    }
}
