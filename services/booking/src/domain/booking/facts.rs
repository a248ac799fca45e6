//! What was booked: by whom, which service, when, and the price.

use std::sync::Arc;

use kernel::id::{Booking, Customer};
use kernel::{CancellationPolicy, Id, Money, Timestamp};

use crate::domain::span::Span;

/// How a session takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By a meeting link.
    Online,
    /// At the practice.
    InPerson,
}

/// Several sessions that are sold together, as they were booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its id.
    pub id: String,
    /// Its title at the time of booking.
    pub title: String,
    /// Until how many hours before its start a customer can cancel a session with a full refund of
    /// its share.
    pub notice_hours: i32,
}

impl Package {
    /// The policy of a package that carries its notice only.
    #[must_use]
    pub fn policy(&self) -> CancellationPolicy {
        let hours = u16::try_from(self.notice_hours.max(0)).unwrap_or(u16::MAX);
        CancellationPolicy::all_or_nothing(String::new(), hours)
    }
}

/// How a booking came about, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An account asked for it.
    Account,
    /// Staff made it by phone; its customer is a contact without an account.
    Phone,
    /// Staff made it by phone, and the account that proved the contact's address owns it.
    AdoptedPhone,
}

impl Origin {
    /// Whether staff made it by phone, also after an account adopted it.
    #[must_use]
    pub const fn is_by_phone(self) -> bool {
        match self {
            Self::Account => false,
            Self::Phone | Self::AdoptedPhone => true,
        }
    }
}

/// What was booked; of it change the times of sessions that are moved, and the owner, once, of what
/// was made by phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The booking's id.
    pub booking_id: Id<Booking>,
    /// The customer who owns it.
    pub customer_id: Id<Customer>,
    /// The service that was booked.
    pub service_id: String,
    /// Its title at the time of booking.
    pub service_title: String,
    /// Its price.
    pub price: Money,
    /// The package; `None` for a single session.
    pub package: Option<Package>,
    /// Its sessions, at least one, in the order of their starts.
    pub sessions: Vec<Span>,
    /// The practitioner whose days hold the time.
    pub practitioner_id: String,
    /// Online or in person.
    pub mode: Mode,
    /// How it came about.
    pub origin: Origin,
    /// What goes back of its sessions; `None` in bookings of before policies were kept.
    pub policy: Option<Arc<CancellationPolicy>>,
}

impl Facts {
    /// What goes back of its sessions: by its own policy, else by its package's notice, else by
    /// the one of bookings that carry none.
    #[must_use]
    pub fn policy(&self, unwritten: &CancellationPolicy) -> CancellationPolicy {
        let written = self.policy.as_deref().cloned();
        let by_notice = || self.package.as_ref().map(Package::policy);
        written.or_else(by_notice).unwrap_or_else(|| unwritten.clone())
    }

    /// Whether nothing is to be paid.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.price.minor == 0
    }

    /// Whether staff made it by phone, also after an account adopted it.
    #[must_use]
    pub fn is_by_phone(&self) -> bool {
        self.origin.is_by_phone()
    }

    /// The numbers of its sessions, from 1.
    pub fn numbers(&self) -> std::ops::RangeInclusive<usize> {
        1..=self.sessions.len()
    }

    /// A session by its number, from 1.
    #[must_use]
    pub fn session(&self, number: usize) -> Option<Span> {
        self.sessions.get(number.checked_sub(1)?).copied()
    }

    pub(super) fn session_mut(&mut self, number: usize) -> Option<&mut Span> {
        self.sessions.get_mut(number.checked_sub(1)?)
    }

    /// What of the price belongs to a session: an equal share, with the remainder on the last one.
    #[must_use]
    pub fn share(&self, number: usize) -> Money {
        let minor = share_minor(self.price.minor, (number, self.sessions.len()));
        Money { minor, ..self.price }
    }

    /// When the first session starts.
    pub(super) fn starts_at(&self) -> Option<Timestamp> {
        self.sessions.first().map(Span::starts_at)
    }

    /// When the last session ends.
    #[must_use]
    pub fn last_ends_at(&self) -> Option<Timestamp> {
        self.sessions.last().map(Span::ends_at)
    }

    pub(super) fn has_ended(&self, now: Timestamp) -> bool {
        self.last_ends_at().is_none_or(|ends_at| ends_at <= now)
    }

    /// Whether the end of its first session has passed.
    pub(super) fn has_begun(&self, now: Timestamp) -> bool {
        self.sessions.first().is_none_or(|first| first.ends_at() <= now)
    }
}

/// What of a price belongs to a session, by its number of so many: an equal share, with the
/// remainder on the last one.
#[must_use]
pub fn share_minor(price_minor: i64, (number, sessions): (usize, usize)) -> i64 {
    let count = i64::try_from(sessions).unwrap_or(i64::MAX).max(1);
    let (share, rest) = (price_minor / count, price_minor % count);
    if number == sessions { share.saturating_add(rest) } else { share }
}
