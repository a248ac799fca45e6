//! What the practice's file says of grace.

use kernel::Grace;
use serde::Deserialize;

/// How often in so many months a client who cancels late gets more back than the steps give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraceRule {
    /// How often.
    pub times: u8,
    /// In how many months.
    pub months: u8,
    /// How much of the price goes back then, in percent.
    #[serde(default = "all_percent")]
    pub refund_percent: u8,
}

fn all_percent() -> u8 {
    100
}

impl From<GraceRule> for Grace {
    fn from(rule: GraceRule) -> Self {
        let GraceRule { times, months, refund_percent } = rule;
        Self { times, months, refund_percent }
    }
}
