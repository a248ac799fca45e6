//! How much of a cancelled booking's money goes back.

use kernel::{Money, Timestamp};

use super::facts::Facts;

/// Who wanted a booking cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelledBy {
    /// The customer: everything goes back until the practice's limit, nothing after it.
    Customer,
    /// The practice: everything goes back.
    Practice,
}

/// How much is to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundChoice {
    /// What the policy says.
    ByPolicy,
    /// Everything, whatever the policy says.
    Full,
    /// Nothing, whatever the policy says.
    Nothing,
}

/// A wish to cancel, with the practice's policy at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation {
    /// Who wants it.
    pub by: CancelledBy,
    /// How much is to go back.
    pub refund: RefundChoice,
    /// Until how many hours before the start a customer gets everything back.
    pub notice_hours: i64,
}

impl Cancellation {
    /// How much of the price goes back.
    #[must_use]
    pub fn refund_of(&self, facts: &Facts, now: Timestamp) -> Money {
        let full = match (self.refund, self.by) {
            (RefundChoice::Full, _) | (RefundChoice::ByPolicy, CancelledBy::Practice) => true,
            (RefundChoice::Nothing, _) => false,
            (RefundChoice::ByPolicy, CancelledBy::Customer) => {
                let limit = now.plus_minutes(self.notice_hours.saturating_mul(60));
                facts.starts_at().is_some_and(|starts_at| limit <= starts_at)
            }
        };
        if full { facts.price } else { Money { minor: 0, ..facts.price } }
    }
}
