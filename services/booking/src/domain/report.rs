//! Reports: what the widget on other sites is told of a booking that began in it.

use std::str::FromStr;

use kernel::Timestamp;
use uuid::Uuid;

/// How long a report can be read, in minutes from when it was first about a booking.
pub const REPORT_MINUTES: i64 = 120;

/// The most reports of one account that have not ended.
pub const REPORTS_MAX: i64 = 20;

/// The number of hexadecimal digits of an id.
const DIGITS: usize = 32;

/// A report's id: 128 random bits that the widget made, 32 hexadecimal digits in lower case. It is
/// never logged, because its knowledge is the right to read the report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ReportId(Uuid);

impl ReportId {
    /// The id as it is stored.
    #[must_use]
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

impl std::fmt::Debug for ReportId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ReportId(…)")
    }
}

/// A text is no report's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedReportId;

impl FromStr for ReportId {
    type Err = MalformedReportId;

    fn from_str(text: &str) -> Result<Self, MalformedReportId> {
        let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.bytes().all(digit) {
            return Err(MalformedReportId);
        }
        Uuid::try_parse(text).map(Self).map_err(|_malformed| MalformedReportId)
    }
}

/// What a report says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportState {
    /// No time is held yet, or the report has ended.
    Waiting,
    /// The time is held, and not paid for.
    Held,
    /// The session is booked.
    Confirmed,
    /// The booking was given back or cancelled.
    Cancelled,
    /// The hold ended without a payment, or the money came when the time was gone.
    Expired,
}

impl ReportState {
    /// What a report says of a booking in this stored state, whose time is held until then.
    #[must_use]
    pub fn of(state: &str, held_until_at: Option<Timestamp>, now: Timestamp) -> Self {
        match state {
            // The timer that ends a hold may be late.
            "held" | "awaiting_payment" if held_until_at.is_some_and(|until| until <= now) => {
                Self::Expired
            }
            "held" | "awaiting_payment" => Self::Held,
            "confirmed" | "meeting_scheduled" | "completed" => Self::Confirmed,
            "released" | "cancelled" => Self::Cancelled,
            "expired" | "paid_unplaced" => Self::Expired,
            _ => Self::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ReportId, ReportState};
    use kernel::Timestamp;

    #[test]
    fn an_id_is_32_digits_in_lower_case_and_its_debug_form_is_empty() {
        let id: ReportId = "0123456789abcdef0123456789abcdef".parse().unwrap();
        assert_eq!(id.uuid().as_u128(), 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(format!("{id:?}"), "ReportId(…)");
        for wrong in [
            "",
            "0123456789abcdef0123456789abcde",
            "0123456789abcdef0123456789abcdef0",
            "0123456789ABCDEF0123456789ABCDEF",
            "01234567-89ab-cdef-0123-456789abcdef",
            "0123456789abcdef0123456789abcdeg",
        ] {
            assert!(wrong.parse::<ReportId>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_hold_that_ran_out_has_expired_before_its_timer_says_so() {
        let now = Timestamp::EPOCH.plus_minutes(60);
        let of = |state, minutes| ReportState::of(state, Some(now.plus_minutes(minutes)), now);
        for held in ["held", "awaiting_payment"] {
            assert_eq!(of(held, 1), ReportState::Held);
            assert_eq!(of(held, 0), ReportState::Expired);
        }
    }

    #[test]
    fn every_stored_state_has_its_word() {
        for (state, expected) in [
            ("confirmed", ReportState::Confirmed),
            ("meeting_scheduled", ReportState::Confirmed),
            ("completed", ReportState::Confirmed),
            ("expired", ReportState::Expired),
            ("paid_unplaced", ReportState::Expired),
            ("released", ReportState::Cancelled),
            ("cancelled", ReportState::Cancelled),
        ] {
            assert_eq!(ReportState::of(state, None, Timestamp::EPOCH), expected, "{state}");
        }
    }
}
