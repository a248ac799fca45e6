//! A package that is offered, and which dates it allows.

use jiff::civil::Date;
use kernel::Money;

use super::booking::Package;

/// Several sessions that are sold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageTerms {
    /// What the booking keeps of it.
    pub package: Package,
    /// How many sessions it has.
    pub sessions: i32,
    /// The price of all of them.
    pub price: Money,
    /// The most days from the first to the last date.
    pub within_days: i32,
}

/// Why dates do not fit a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongDates {
    /// There are more or fewer than the package has sessions.
    Count,
    /// Two are the same.
    Same,
    /// The last one is too far from the first one.
    TooFarApart,
}

impl PackageTerms {
    /// Checks the local dates of its sessions, in order.
    ///
    /// # Errors
    /// Why they do not fit.
    pub fn check(&self, dates: &[Date]) -> Result<(), WrongDates> {
        if usize::try_from(self.sessions) != Ok(dates.len()) {
            return Err(WrongDates::Count);
        }
        if dates.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(WrongDates::Same);
        }
        let apart =
            dates.first().zip(dates.last()).map(|(first, last)| days_between(*first, *last));
        if apart.is_some_and(|days| days <= self.within_days) {
            Ok(())
        } else {
            Err(WrongDates::TooFarApart)
        }
    }
}

fn days_between(first: Date, last: Date) -> i32 {
    last.since(first).map_or(i32::MAX, |span| span.get_days())
}

#[cfg(test)]
mod tests;
