//! Until when a session can be cancelled and what then goes back, as a booking carries it.
//!
//! What follows from it for a booking is decided in booking alone; the others print that.

use serde::{Deserialize, Serialize};

use crate::money::Money;
use crate::time::Timestamp;

/// The most tiers of a policy.
pub const TIERS_MAX: usize = 6;
/// The most hours of notice, 30 days.
pub const NOTICE_HOURS_MAX: u16 = 720;
/// The most often that a client may move a session.
pub const MOVES_MAX: u16 = 20;
/// How often a client may move a session of a booking whose policy does not say it.
pub const USUAL_MOVES: u16 = 3;
/// The most uses of grace that a policy gives, and the most months in which they count.
pub const GRACE_TIMES_MAX: u8 = 10;
/// The most months in which uses of grace count.
pub const GRACE_MONTHS_MAX: u8 = 24;

/// What goes back of the price of a session, by how long before its start it is cancelled. As it is
/// stored: `{"version": "…", "tiers": [{"until_hours": 24, "refund_percent": 100}]}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct CancellationPolicy {
    version: String,
    tiers: Vec<CancellationTier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<MoveLimits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grace: Option<Grace>,
}

/// What a client gets back of a session that is cancelled late, so often in so many months, where
/// the tiers give less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grace {
    /// How often, 1 to [`GRACE_TIMES_MAX`].
    pub times: u8,
    /// In how many months, 1 to [`GRACE_MONTHS_MAX`].
    pub months: u8,
    /// How much of the price goes back, in percent, 1 to 100.
    pub refund_percent: u8,
}

/// How late and how often a client may move a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MoveLimits {
    /// Until how many hours before the session's start, 0 to [`NOTICE_HOURS_MAX`].
    pub until_hours: u16,
    /// How often, 0 to [`MOVES_MAX`].
    pub times: u16,
}

/// One tier: it holds until so many hours before the start, from the end of the tier before it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CancellationTier {
    /// Until how many hours before the session's start, 0 to [`NOTICE_HOURS_MAX`].
    pub until_hours: u16,
    /// How much of the price goes back when the client cancels, in percent, 0 to 100.
    pub refund_percent: u8,
    /// What the practice gives, beside the whole price, when it cancels that late itself.
    #[serde(default, skip_serializing_if = "PracticeLate::is_nothing")]
    pub practice_late: PracticeLate,
}

/// What the practice gives when it cancels late itself. The whole price goes back in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PracticeLate {
    /// Nothing more.
    #[default]
    Nothing,
    /// A share of the price, in percent, 1 to 100.
    Share(u8),
    /// A session that costs nothing.
    FreeSession,
}

/// One line of a booking's schedule: "₹1,500 until Thu 26 Nov 11:00".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefundStep {
    /// The last moment at which it holds.
    pub until: Timestamp,
    /// What goes back.
    pub refund: Money,
    /// What the practice gives when it cancels in this time itself.
    pub practice_late: PracticeLate,
}

impl PracticeLate {
    /// Whether it gives nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }

    /// As clients read it: "a free session", "20% of the price"; `None` for nothing.
    #[must_use]
    pub fn words(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Share(percent) => Some(format!("{percent}% of the price")),
            Self::FreeSession => Some("a free session".to_owned()),
        }
    }
}

impl Grace {
    /// Whether each number is in its range.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        (1..=GRACE_TIMES_MAX).contains(&self.times)
            && (1..=GRACE_MONTHS_MAX).contains(&self.months)
            && (1..=100).contains(&self.refund_percent)
    }
}

impl CancellationPolicy {
    /// A policy with a name for its words; `None` unless each tier ends later than the one before
    /// it and gives less, and no number is out of its range.
    #[must_use]
    pub fn new(version: String, tiers: Vec<CancellationTier>) -> Option<Self> {
        let in_range = |tier: &CancellationTier| {
            let share = match tier.practice_late {
                PracticeLate::Share(percent) => (1..=100).contains(&percent),
                PracticeLate::Nothing | PracticeLate::FreeSession => true,
            };
            tier.until_hours <= NOTICE_HOURS_MAX && tier.refund_percent <= 100 && share
        };
        let falls = tiers.windows(2).all(|pair| match pair {
            [earlier, later] => {
                later.until_hours < earlier.until_hours
                    && later.refund_percent < earlier.refund_percent
            }
            _ => true,
        });
        let is_valid =
            (1..=TIERS_MAX).contains(&tiers.len()) && falls && tiers.iter().all(in_range);
        is_valid.then_some(Self { version, tiers, moves: None, grace: None })
    }

    /// All of the price until so many hours before the start and nothing later: the rule of
    /// bookings that were made before policies stood in them.
    #[must_use]
    pub fn all_or_nothing(version: String, notice_hours: u16) -> Self {
        let until_hours = notice_hours.min(NOTICE_HOURS_MAX);
        let practice_late = PracticeLate::Nothing;
        let full = CancellationTier { until_hours, refund_percent: 100, practice_late };
        Self { version, tiers: vec![full], moves: None, grace: None }.down_to_nothing(practice_late)
    }

    /// The same with a last tier that gives nothing until the start, where none reaches that far.
    #[must_use]
    pub fn down_to_nothing(mut self, practice_late: PracticeLate) -> Self {
        if self.tiers.last().is_some_and(|last| last.until_hours > 0 && last.refund_percent > 0) {
            self.tiers.push(CancellationTier { until_hours: 0, refund_percent: 0, practice_late });
        }
        self
    }

    /// The same with the version that a function gives it.
    #[must_use]
    pub fn named(mut self, version: fn(&Self) -> String) -> Self {
        self.version = version(&self);
        self
    }

    /// The same with grace, or without; one that is not valid is none.
    #[must_use]
    pub fn forgiving(mut self, grace: Option<Grace>) -> Self {
        self.grace = grace.filter(Grace::is_valid);
        self
    }

    /// How often a client may cancel late and lose less than the tiers say.
    #[must_use]
    pub fn grace(&self) -> Option<Grace> {
        self.grace
    }

    /// The same with limits of moves.
    #[must_use]
    pub fn moving(mut self, limits: MoveLimits) -> Self {
        self.moves = Some(limits);
        self
    }

    /// How late and how often a client may move a session: where the policy does not say it, as
    /// long as all of the price goes back.
    #[must_use]
    pub fn moves(&self) -> MoveLimits {
        let usual = || MoveLimits { until_hours: self.notice_hours(), times: USUAL_MOVES };
        self.moves.unwrap_or_else(usual)
    }

    /// A short name that differs where tiers or grace differ.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The tiers, earliest first.
    #[must_use]
    pub fn tiers(&self) -> &[CancellationTier] {
        &self.tiers
    }

    /// Until how many hours before its start a session can be cancelled for all of its price.
    #[must_use]
    pub fn notice_hours(&self) -> u16 {
        self.tiers.first().map_or(0, |tier| tier.until_hours)
    }
}

#[derive(Deserialize)]
struct Unchecked {
    version: String,
    tiers: Vec<CancellationTier>,
    #[serde(default)]
    moves: Option<MoveLimits>,
    #[serde(default)]
    grace: Option<Grace>,
}

impl TryFrom<Unchecked> for CancellationPolicy {
    type Error = &'static str;

    fn try_from(unchecked: Unchecked) -> Result<Self, Self::Error> {
        let policy = Self::new(unchecked.version, unchecked.tiers);
        let policy = policy.ok_or("the tiers are out of order")?;
        if unchecked.grace.is_some_and(|grace| !grace.is_valid()) {
            return Err("the grace is out of its range");
        }
        Ok(Self { moves: unchecked.moves, grace: unchecked.grace, ..policy })
    }
}

#[cfg(test)]
mod tests {
    use super::{CancellationPolicy, CancellationTier, Grace, MoveLimits, PracticeLate};

    fn tier(until_hours: u16, refund_percent: u8) -> CancellationTier {
        CancellationTier { until_hours, refund_percent, practice_late: PracticeLate::Nothing }
    }

    #[test]
    fn a_policy_falls_with_each_tier() {
        let policy = |tiers: &[CancellationTier]| {
            CancellationPolicy::new(String::new(), tiers.to_vec()).is_some()
        };
        assert!(policy(&[tier(24, 100)]));
        assert!(policy(&[tier(48, 100), tier(12, 50), tier(0, 0)]));
        let out_of_range = PracticeLate::Share(101);
        for wrong in [
            &[][..],
            &[tier(24, 101)],
            &[tier(721, 100)],
            &[tier(24, 100), tier(24, 50)],
            &[tier(24, 50), tier(12, 50)],
            &[CancellationTier { practice_late: out_of_range, ..tier(24, 100) }],
            &[
                tier(6, 90),
                tier(5, 80),
                tier(4, 70),
                tier(3, 60),
                tier(2, 50),
                tier(1, 40),
                tier(0, 0),
            ],
        ] {
            assert!(!policy(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn it_is_stored_in_one_form() {
        let steps = vec![
            tier(24, 100),
            CancellationTier { practice_late: PracticeLate::Share(20), ..tier(12, 50) },
        ];
        let policy = CancellationPolicy::new("1a".to_owned(), steps).unwrap();
        let policy = policy.down_to_nothing(PracticeLate::FreeSession);
        let stored = [
            r#"{"version":"1a","tiers":[{"until_hours":24,"refund_percent":100},"#,
            r#"{"until_hours":12,"refund_percent":50,"practice_late":{"share":20}},"#,
            r#"{"until_hours":0,"refund_percent":0,"practice_late":"free_session"}]}"#,
        ]
        .concat();
        assert_eq!(serde_json::to_string(&policy).unwrap(), stored);
        assert_eq!(serde_json::from_str::<CancellationPolicy>(&stored).unwrap(), policy);
        let wrong = stored.replace("\"refund_percent\":50", "\"refund_percent\":100");
        assert!(serde_json::from_str::<CancellationPolicy>(&wrong).is_err());
    }

    #[test]
    fn limits_of_moves_are_stored_where_the_policy_says_them() {
        let policy = CancellationPolicy::new("1a".to_owned(), vec![tier(24, 100)]).unwrap();
        assert_eq!(policy.moves(), MoveLimits { until_hours: 24, times: 3 });
        let limits = MoveLimits { until_hours: 12, times: 1 };
        let stored = serde_json::to_string(&policy.moving(limits)).unwrap();
        assert!(stored.ends_with(r#","moves":{"until_hours":12,"times":1}}"#), "{stored}");
        let read: CancellationPolicy = serde_json::from_str(&stored).unwrap();
        assert_eq!(read.moves(), limits);
    }

    #[test]
    fn grace_is_stored_where_the_policy_has_it() {
        let policy = CancellationPolicy::new("1a".to_owned(), vec![tier(24, 100)]).unwrap();
        let grace = Grace { times: 1, months: 6, refund_percent: 100 };
        let with = |grace| policy.clone().forgiving(Some(grace));
        let stored = serde_json::to_string(&with(grace)).unwrap();
        assert!(stored.ends_with(r#","grace":{"times":1,"months":6,"refund_percent":100}}"#));
        let read: CancellationPolicy = serde_json::from_str(&stored).unwrap();
        assert_eq!(read.grace(), Some(grace));
        for wrong in [
            Grace { times: 0, ..grace },
            Grace { times: 11, ..grace },
            Grace { months: 0, ..grace },
            Grace { months: 25, ..grace },
            Grace { refund_percent: 0, ..grace },
            Grace { refund_percent: 101, ..grace },
        ] {
            assert_eq!(with(wrong).grace(), None);
            let word = serde_json::to_string(&wrong).unwrap();
            let stored = stored.replace(&serde_json::to_string(&grace).unwrap(), &word);
            assert!(serde_json::from_str::<CancellationPolicy>(&stored).is_err(), "{stored}");
        }
    }

    #[test]
    fn all_or_nothing_until_the_start_itself_has_one_tier() {
        let tiers = |hours| CancellationPolicy::all_or_nothing(String::new(), hours).tiers().len();
        assert_eq!((tiers(24), tiers(0)), (2, 1));
    }
}
