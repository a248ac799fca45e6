//! How often a code for a consent, or for an act on a booking's page, is mailed, and for how long
//! it works.

use kernel::id::Booking;
use kernel::{Id, Timestamp};

/// For how many minutes a code works.
pub const VALID_MINUTES: i64 = 15;
/// How many tries a code has.
const TRIES_MAX: i32 = 5;
/// The minutes in which a booking has [`REQUESTS_MAX`] codes.
pub const BUDGET_MINUTES: i64 = 60;
/// How many codes are mailed for a booking in [`BUDGET_MINUTES`].
const REQUESTS_MAX: usize = 5;
/// Within so many seconds, a second request is the first one, pressed twice.
const SAME_SECONDS: i64 = 20;

kernel::rejections! {
    /// Why it is not shown that the client signs.
    pub enum SignatureError {
        // Staff have seen the key of the page, and no code was typed.
        CodeRequired: FailedPrecondition "CONSENT_CODE_REQUIRED" @ "consent_code",
            "Please type the code that we mail to the address of this booking.";
        CodeWrong: FailedPrecondition "CONSENT_CODE_WRONG" @ "consent_code",
            "That is not the code. Please check it and type it again.";
        // None was mailed, or it is too old or was tried too often.
        CodeEnded: FailedPrecondition "CONSENT_CODE_ENDED" @ "consent_code",
            "That code does not work any more. Please ask for another one.";
        TooManyCodes: ResourceExhausted "TOO_MANY_CONSENT_CODES",
            "We have mailed several codes. Please use the newest one, or try again in an hour.";
        ByStaff: FailedPrecondition "STAFF_CANNOT_SIGN" @ "consent",
            "A consent is signed by the client. Members of the practice sign only their own.";
    }
}

kernel::words! {
    /// What a code is for. It works for nothing else.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CodePurpose {
        /// A consent is signed with it.
        Consent = "consent",
        /// A session is moved or cancelled with it, once.
        Page = "page",
    }
}

/// The codes of a booking for one purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodesOf {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// What they are for.
    pub purpose: CodePurpose,
}

/// A code that was mailed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailedCode {
    /// The request's number.
    pub number: i64,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// How often a code was typed, the present try included.
    pub tries: i32,
    /// Whether an act has used it up.
    pub is_used: bool,
}

impl MailedCode {
    /// Whether it can be typed.
    #[must_use]
    pub fn works(&self, now: Timestamp) -> bool {
        !self.is_used
            && self.tries <= TRIES_MAX
            && now < self.requested_at.plus_minutes(VALID_MINUTES)
    }
}

/// Whether another code may be mailed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Yes.
    Free,
    /// One is on its way.
    JustRequested,
    /// Too many were.
    Spent,
}

/// Whether another code may be mailed after those of the last hour.
#[must_use]
pub fn may_request(recent: &[Timestamp], now: Timestamp) -> Budget {
    let newest = recent.iter().map(|at| at.seconds()).max();
    if newest.is_some_and(|at| now.seconds().saturating_sub(at) < SAME_SECONDS) {
        return Budget::JustRequested;
    }
    if is_spent(recent) { Budget::Spent } else { Budget::Free }
}

/// Whether as many codes were mailed in the last hour as are in one.
#[must_use]
pub fn is_spent(recent: &[Timestamp]) -> bool {
    recent.len() >= REQUESTS_MAX
}

#[cfg(test)]
mod tests {
    use super::{Budget, MailedCode, may_request};
    use kernel::Timestamp;

    fn at(minute: i64) -> Timestamp {
        "2026-11-24T05:30:00Z".parse::<Timestamp>().unwrap().plus_minutes(minute)
    }

    #[test]
    fn a_code_has_five_tries_and_fifteen_minutes() {
        let code = MailedCode { number: 3, requested_at: at(0), tries: 5, is_used: false };
        assert!(code.works(at(14)) && !code.works(at(15)));
        assert!(!MailedCode { tries: 6, ..code }.works(at(1)));
        assert!(!MailedCode { is_used: true, ..code }.works(at(1)));
    }

    #[test]
    fn a_booking_has_five_codes_in_an_hour() {
        assert_eq!(may_request(&[], at(0)), Budget::Free);
        assert_eq!(may_request(&[at(0)], at(0)), Budget::JustRequested);
        assert_eq!(may_request(&[at(0), at(1), at(2), at(3)], at(4)), Budget::Free);
        assert_eq!(may_request(&[at(0), at(1), at(2), at(3), at(4)], at(5)), Budget::Spent);
    }
}
