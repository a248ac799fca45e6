//! What the practice offers and when it works, and what is asked of that.

use std::sync::Arc;

use booking::domain::availability::Rules;
use booking::domain::booking::{Mode, Package};
use booking::domain::practitioners::{Practitioner, Practitioners};
use booking::domain::span::Span;
use jiff::civil::{Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use kernel::id::{Booking, Customer};
use kernel::{CancellationPolicy, CancellationTier, Grace, Id, Money, PracticeLate, Timestamp};
use practice::{Availability, LEAD_ID};

/// Until how many hours before its session a cancelled booking is paid back whole.
const NOTICE_HOURS: u16 = 24;

/// Something that the practice offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offering {
    pub(crate) id: &'static str,
    pub(crate) minutes: i32,
    pub(crate) price: Money,
}

/// What the practice offers: two lengths, so that sessions overlap without beginning together.
pub(crate) const OFFERINGS: [Offering; 2] = [
    Offering { id: "meditation", minutes: 60, price: Money::inr(50_000) },
    Offering { id: "healing", minutes: 90, price: Money::inr(110_000) },
];

/// How many sessions the package has, of whatever is offered for a price.
pub(crate) const PACKAGE_SESSIONS: usize = 3;
/// What it costs: sessions do not divide it.
pub(crate) const PACKAGE_PRICE: Money = Money::inr(100_001);

/// The package as it is booked.
pub(crate) fn package() -> Package {
    let notice_hours = i32::from(NOTICE_HOURS);
    Package { id: "starter".to_owned(), title: "Starter Package".to_owned(), notice_hours }
}

/// The policy of bookings that carry none.
pub(crate) fn earlier_policy() -> CancellationPolicy {
    CancellationPolicy::all_or_nothing(String::new(), NOTICE_HOURS)
}

/// What a booking carries: three in four a policy with a tier that gives a part, so that parts of a
/// price go back, and the others none, as bookings of earlier releases.
pub(crate) fn policy_of(id: Id<Booking>) -> Option<Arc<CancellationPolicy>> {
    let tiers = [(NOTICE_HOURS, 100), (NOTICE_HOURS / 2, 37), (0, 0)];
    let tier = |(until_hours, refund_percent)| CancellationTier {
        until_hours,
        refund_percent,
        practice_late: PracticeLate::Nothing,
    };
    let policy = CancellationPolicy::new("simulated".to_owned(), tiers.map(tier).to_vec());
    // Of a third of these, a late cancellation gives more once.
    let grace = Grace { times: 1, months: 1, refund_percent: 80 };
    let grace = (id.uuid().as_u128() % 4 == 2).then_some(grace);
    let policy = policy.map(|policy| policy.forgiving(grace));
    policy.filter(|_| !id.uuid().as_u128().is_multiple_of(4)).map(Arc::new)
}

/// A consultation that costs nothing; each customer has it once.
pub(crate) const CONSULTATION: Offering =
    Offering { id: "consultation", minutes: 15, price: Money::inr(0) };

/// When the practice works.
pub(crate) fn rules() -> Rules {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let zone = TimeZone::fixed(Offset::from_seconds(19_800).unwrap_or(Offset::UTC));
    let hours = Availability {
        weekdays: vec![Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday],
        first_start: Time::constant(11, 0, 0, 0),
        last_start: Time::constant(17, 0, 0, 0),
        step_minutes: 60,
        notice_minutes: 15,
        horizon_days: 60,
        closed_dates: std::collections::BTreeSet::new(),
        blocked_times: Vec::new(),
    };
    Rules { zone, hours }
}

/// The second practitioner of runs with two.
pub(crate) const SECOND: &str = "second";

/// Both practitioners, or the first one alone. The second one begins an hour later.
pub(crate) fn practitioners(both: bool) -> Practitioners {
    let lead = Practitioner { id: LEAD_ID.to_owned(), rules: rules() };
    let mut second = Practitioner { id: SECOND.to_owned(), rules: rules() };
    second.rules.hours.first_start = Time::constant(12, 0, 0, 0);
    Practitioners::new(if both { vec![lead, second] } else { vec![lead] })
}

/// A practitioner's time that staff close.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosedTime {
    pub(crate) practitioner_id: &'static str,
    pub(crate) span: Span,
}

/// A request for a time.
#[derive(Debug, Clone)]
pub(crate) struct SlotRequest {
    pub(crate) customer_id: Id<Customer>,
    pub(crate) offering: Offering,
    /// In order: one, or those of a package.
    pub(crate) starts: Vec<Timestamp>,
    /// The practitioner; `None` for anyone.
    pub(crate) practitioner_id: Option<&'static str>,
    pub(crate) mode: Mode,
    pub(crate) key: String,
}

impl SlotRequest {
    /// The times of its sessions.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let minutes = i64::from(self.offering.minutes);
        let span = |start: &Timestamp| Span::new(*start, start.plus_minutes(minutes));
        self.starts.iter().filter_map(span).collect()
    }

    /// Whether it is a package.
    pub(crate) fn is_package(&self) -> bool {
        self.starts.len() > 1
    }
}
