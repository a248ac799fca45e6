//! The refund of a cancelled booking.

use kernel::{Money, Timestamp};

use super::facts::Facts;

/// Who requested the cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelledBy {
    /// The customer: a full refund until the notice period, none after it.
    Customer,
    /// The practice: a full refund.
    Practice,
}

/// Which refund staff chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefundChoice {
    /// According to the policy.
    ByPolicy,
    /// A full refund, whatever the policy says.
    Full,
    /// No refund, whatever the policy says.
    Nothing,
}

/// A cancellation, with the policy that is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation {
    /// Who requested it.
    pub by: CancelledBy,
    /// Which refund staff chose.
    pub refund: RefundChoice,
    /// The notice period: until so many hours before the start a customer gets a full refund.
    pub notice_hours: i64,
}

impl Cancellation {
    /// The refund of the price, or of the share of a session that starts then; a package has its
    /// own notice period.
    #[must_use]
    pub fn refund_of(
        &self,
        (amount, starts_at): (Money, Option<Timestamp>),
        facts: &Facts,
        now: Timestamp,
    ) -> Money {
        let notice = facts.package.as_ref().map(|package| i64::from(package.notice_hours));
        let notice_hours = notice.unwrap_or(self.notice_hours);
        let full = match (self.refund, self.by) {
            (RefundChoice::Full, _) | (RefundChoice::ByPolicy, CancelledBy::Practice) => true,
            (RefundChoice::Nothing, _) => false,
            (RefundChoice::ByPolicy, CancelledBy::Customer) => {
                let limit = now.plus_minutes(notice_hours.saturating_mul(60));
                starts_at.is_some_and(|starts_at| limit <= starts_at)
            }
        };
        if full { amount } else { Money { minor: 0, ..amount } }
    }
}
