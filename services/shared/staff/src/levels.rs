//! How lately the second factor must have been shown: a level for each call of staff. A stolen or
//! old session of staff cannot make the calls that move money, rights or clients' data out of the
//! practice.

use contract::calls::{CALLS, Call, SecondFactor};
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
    /// The level of a call by its name, without its service, as `proto/` declares it. A name that
    /// several services have asks for the highest of them, and one without a level for the highest.
    #[must_use]
    pub fn of(action: &str) -> Self {
        let mut named = CALLS.iter().filter(|call| call.names().1 == action);
        let asks = |level| move |call: &Call| call.second_factor == level;
        let is_today = named.clone().any(asks(SecondFactor::Today));
        if is_today && !named.any(asks(SecondFactor::JustNow)) {
            Self::Today
        } else {
            Self::JustNow
        }
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

#[cfg(test)]
mod tests {
    use super::Level;
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
    }
}
