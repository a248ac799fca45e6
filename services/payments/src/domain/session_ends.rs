//! How the sessions of a package have ended, as booking reported it, and what of their money is
//! earned, kept or due back.

use std::collections::BTreeMap;

/// How a session of a package has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionEnd {
    /// What of the price belongs to it, in minor units.
    pub share_minor: i64,
    /// How much of its share goes back if it was cancelled; `None` if it took place.
    pub refund_minor: Option<i64>,
}

/// The sessions that have ended, by their number from 1; none of a single session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionEnds(BTreeMap<i32, SessionEnd>);

/// What is done with the money of a package's sessions that have ended, in minor units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionMoney {
    /// What goes back, of all cancelled sessions.
    pub back: i64,
    /// What each session has earned, in their order.
    pub earned: Vec<i64>,
    /// What is kept of each cancelled session, in their order.
    pub retained: Vec<i64>,
}

impl SessionEnds {
    /// Whether none has ended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an end; the first one of a session stays.
    #[must_use]
    pub fn with(mut self, number: i32, end: SessionEnd) -> Self {
        self.0.entry(number).or_insert(end);
        self
    }

    /// All ends with their numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = (i32, SessionEnd)> {
        self.0.iter().map(|(number, end)| (*number, *end))
    }

    /// The numbers of the cancelled sessions, which name the cause of a refund.
    #[must_use]
    pub fn cancelled(&self) -> String {
        let cancelled = self.0.iter().filter(|(_, end)| end.refund_minor.is_some());
        let numbers: Vec<String> = cancelled.map(|(number, _)| number.to_string()).collect();
        numbers.join(" ")
    }

    /// The money of these sessions, of `brought` for the whole price. An offer of the provider
    /// takes the same part off each share, and what is rounded away from one belongs to the next.
    #[must_use]
    pub fn money(&self, price: i64, brought: i64) -> SessionMoney {
        let mut money = SessionMoney::default();
        let of_price = |minor: i64| proportion(brought, minor, price);
        for (number, end) in &self.0 {
            let before = share_before(*number, end.share_minor, price);
            let share = of_price(before.saturating_add(end.share_minor)) - of_price(before);
            match end.refund_minor {
                None => money.earned.push(share),
                Some(refund) => {
                    let back = proportion(share, refund, end.share_minor);
                    money.back = money.back.saturating_add(back);
                    money.retained.push(share.saturating_sub(back));
                }
            }
        }
        money
    }
}

/// The sum of the shares before a session, by its own: shares are equal, but for the remainder on
/// the last one, with which the price ends.
fn share_before(number: i32, share_minor: i64, price: i64) -> i64 {
    let number = i64::from(number);
    if share_minor.saturating_mul(number) >= price {
        price.saturating_sub(share_minor)
    } else {
        share_minor.saturating_mul(number.saturating_sub(1))
    }
}

/// So much of `whole` as `part` is of `of`, rounded down.
pub(super) fn proportion(whole: i64, part: i64, of: i64) -> i64 {
    let product = i128::from(whole).saturating_mul(i128::from(part));
    let proportion = product.checked_div(i128::from(of)).unwrap_or(0);
    i64::try_from(proportion).unwrap_or(0)
}

#[cfg(test)]
mod tests;
