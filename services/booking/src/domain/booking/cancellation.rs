//! What goes back when a booking is cancelled, and its schedule, which pages and mails print.

use kernel::{CancellationPolicy, Money, PracticeLate, RefundStep, Timestamp};

use super::facts::Facts;

/// Who requested the cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelledBy {
    /// The customer: what the booking's policy gives at that moment.
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

/// A cancellation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    /// Who requested it.
    pub by: CancelledBy,
    /// Which refund staff chose.
    pub refund: RefundChoice,
    /// The number of the session, from 1; `None` for all that have not ended.
    pub session: Option<usize>,
    /// The policy of bookings that carry none: the practice's when policies began to be kept.
    pub unwritten: CancellationPolicy,
    /// How often its client may still lose less by the grace of the policy.
    pub grace_left: u16,
}

/// What of the price belongs to a session that is cancelled, and when it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) amount: Money,
    pub(super) starts_at: Option<Timestamp>,
}

/// What goes back of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GivenBack {
    pub(super) refund: Money,
    /// Whether grace gives it.
    pub(super) by_grace: bool,
}

impl GivenBack {
    /// All of it: of a session that the practice can't hold.
    pub(super) const fn whole(amount: Money) -> Self {
        Self { refund: amount, by_grace: false }
    }
}

impl Cancellation {
    /// What the practice gives besides for a session that starts then, if it cancels it itself.
    #[must_use]
    pub fn given(&self, facts: &Facts, starts_at: Timestamp, now: Timestamp) -> PracticeLate {
        let steps = schedule(&facts.policy(&self.unwritten), facts.price, starts_at);
        let step = steps.iter().find(|step| now <= step.until);
        let step = step.filter(|_| self.by == CancelledBy::Practice);
        step.map_or(PracticeLate::Nothing, |step| step.practice_late)
    }

    /// What goes back of a session, by grace where that gives more and is left so many times.
    pub(super) fn given_back(
        &self,
        share: Share,
        facts: &Facts,
        now: Timestamp,
        left: u16,
    ) -> GivenBack {
        let refund = self.refund_of((share.amount, share.starts_at), facts, now);
        let is_by_policy =
            self.by == CancelledBy::Customer && self.refund == RefundChoice::ByPolicy;
        let is_ahead = share.starts_at.is_some_and(|starts_at| now < starts_at);
        let grace = facts.policy(&self.unwritten).grace();
        let grace = grace.filter(|_| left > 0 && is_by_policy && is_ahead);
        let minor = grace.map(|grace| part_of(share.amount.minor, grace.refund_percent));
        match minor.filter(|minor| *minor > refund.minor) {
            Some(minor) => GivenBack { refund: Money { minor, ..refund }, by_grace: true },
            None => GivenBack { refund, by_grace: false },
        }
    }

    /// What goes back of the price, or of the share of a session that starts then.
    pub(super) fn refund_of(
        &self,
        session: (Money, Option<Timestamp>),
        facts: &Facts,
        now: Timestamp,
    ) -> Money {
        let (amount, starts_at) = session;
        let nothing = Money { minor: 0, ..amount };
        match (self.refund, self.by) {
            (RefundChoice::Full, _) | (RefundChoice::ByPolicy, CancelledBy::Practice) => amount,
            (RefundChoice::Nothing, _) => nothing,
            (RefundChoice::ByPolicy, CancelledBy::Customer) => {
                let policy = facts.policy(&self.unwritten);
                let steps = starts_at.map(|starts_at| schedule(&policy, amount, starts_at));
                let mut steps = steps.into_iter().flatten();
                steps.find(|step| now <= step.until).map_or(nothing, |step| step.refund)
            }
        }
    }
}

/// What goes back of an amount for a session that starts then, step by step, earliest first. A step
/// holds until its last moment, from the end of the one before it; after the last one nothing goes
/// back. A part of a paisa counts as half or more for one, and else for none.
#[must_use]
pub fn schedule(
    policy: &CancellationPolicy,
    amount: Money,
    starts_at: Timestamp,
) -> Vec<RefundStep> {
    let step = |tier: &kernel::CancellationTier| RefundStep {
        until: starts_at.plus_minutes(-60 * i64::from(tier.until_hours)),
        refund: Money { minor: part_of(amount.minor, tier.refund_percent), ..amount },
        practice_late: tier.practice_late,
    };
    policy.tiers().iter().map(step).collect()
}

/// So many percent of an amount that is not negative, rounded to the nearest unit.
fn part_of(minor: i64, percent: u8) -> i64 {
    let part = (i128::from(minor) * i128::from(percent) + 50) / 100;
    i64::try_from(part).unwrap_or(minor)
}

#[cfg(test)]
mod tests;
