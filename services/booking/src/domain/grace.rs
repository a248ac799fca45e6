//! How often a client may still cancel late and lose less, by the grace of a booking's policy.

use jiff::ToSpan as _;
use jiff::tz::TimeZone;
use kernel::{Grace, Timestamp};

/// The grace of a policy, and when the client has used grace, in a practice's zone.
#[derive(Debug, Clone)]
pub struct GraceUses {
    grace: Grace,
    zone: TimeZone,
    now: Timestamp,
    /// When each use stops to count, earliest first, of those that count now.
    ends: Vec<Timestamp>,
}

impl GraceUses {
    /// What counts now of these uses.
    #[must_use]
    pub fn of(grace: Grace, zone: &TimeZone, uses: &[Timestamp], now: Timestamp) -> Self {
        let ends = uses.iter().map(|at| end_of(grace, zone, *at)).filter(|end| now < *end);
        let mut ends: Vec<Timestamp> = ends.collect();
        ends.sort_unstable();
        Self { grace, zone: zone.clone(), now, ends }
    }

    /// How often it is left.
    #[must_use]
    pub fn left(&self) -> u16 {
        let used = u16::try_from(self.ends.len()).unwrap_or(u16::MAX);
        u16::from(self.grace.times).saturating_sub(used)
    }

    /// From when the client has grace again once it is used so many times more now.
    #[must_use]
    pub fn again_at(&self, further: u16) -> Timestamp {
        let new_end = end_of(self.grace, &self.zone, self.now);
        let further = std::iter::repeat_n(new_end, usize::from(further));
        let ends: Vec<Timestamp> = self.ends.iter().copied().chain(further).collect();
        // Once this one stops to count, fewer do than the policy gives.
        let decides = ends.len().checked_sub(usize::from(self.grace.times));
        decides.and_then(|index| ends.get(index)).copied().unwrap_or(self.now)
    }
}

fn end_of(grace: Grace, zone: &TimeZone, used_at: Timestamp) -> Timestamp {
    let months = i64::from(grace.months).months();
    let end = used_at.in_zone(zone).checked_add(months);
    end.map_or(used_at, |end| Timestamp::from_jiff(end.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn uses(times: u8, used: &[&str], now: &str) -> GraceUses {
        let grace = Grace { times, months: 6, refund_percent: 100 };
        let zone = TimeZone::get("Asia/Kolkata").unwrap();
        let used: Vec<Timestamp> = used.iter().map(|it| at(it)).collect();
        GraceUses::of(grace, &zone, &used, at(now))
    }

    #[test]
    fn a_use_counts_for_so_many_months_of_the_practices_calendar() {
        let now = "2026-12-01T04:30:00Z";
        assert_eq!(uses(1, &[], now).left(), 1);
        assert_eq!(uses(1, &["2026-06-01T04:30:01Z"], now).left(), 0);
        assert_eq!(uses(1, &["2026-06-01T04:30:00Z"], now).left(), 1, "six months are over");
        assert_eq!(uses(2, &["2026-06-01T04:30:01Z", now], now).left(), 0);
        // The last day of August has none in February.
        assert_eq!(uses(1, &["2026-08-31T04:30:00Z"], "2027-02-28T04:30:00Z").left(), 1);
        assert_eq!(uses(1, &["2026-08-31T04:30:00Z"], "2027-02-28T04:29:59Z").left(), 0);
    }

    #[test]
    fn it_says_from_when_there_is_grace_again() {
        let now = "2026-12-01T04:30:00Z";
        assert_eq!(uses(1, &[], now).again_at(1), at("2027-06-01T04:30:00Z"));
        let one_before = uses(2, &["2026-07-10T04:30:00Z"], now);
        assert_eq!(one_before.again_at(1), at("2027-01-10T04:30:00Z"));
        assert_eq!(uses(2, &[], now).again_at(2), at("2027-06-01T04:30:00Z"));
        assert_eq!(uses(2, &[], now).again_at(1), at(now), "some is left");
    }
}
