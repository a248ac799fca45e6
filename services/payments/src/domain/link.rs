//! A payment link: the provider's own page, on which a booking is paid. Reports about it are
//! joined, never overwritten, so that order and repetition change nothing.

use std::collections::BTreeSet;

use kernel::Timestamp;

use super::fact::{LinkId, OrderId};

/// How long before its end a link is not handed out any more, in seconds: its page has to be opened
/// and filled in.
const LEAST_SECONDS: i64 = 60;

kernel::words! {
    /// The state of a link at the provider. A later one outranks an earlier one.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum LinkStatus {
        /// It takes money.
        #[default]
        Created = "created",
        /// A part was paid, which our links do not allow; it takes the rest, and cannot be
        /// cancelled.
        PartiallyPaid = "partially_paid",
        /// Its time is over.
        Expired = "expired",
        /// We cancelled it.
        Cancelled = "cancelled",
        /// It was paid in full.
        Paid = "paid",
    }
}

impl LinkStatus {
    /// Whether the provider takes no more money on its page.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Created | Self::PartiallyPaid => false,
            Self::Expired | Self::Cancelled | Self::Paid => true,
        }
    }
}

kernel::words! {
    /// Why a link is not handed out any more.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Withdrawal {
        /// The customer chose the checkout.
        Checkout = "checkout",
        /// Money came in another way.
        Paid = "paid",
        /// The booking's hold, or the booking, is over.
        Ended = "ended",
        /// It was about to expire.
        Expired = "expired",
    }
}

/// A report about a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkFact {
    /// Its state.
    pub status: LinkStatus,
    /// The order beneath it, which the provider creates when its page is opened; `None` while it
    /// names none.
    pub order: Option<OrderId>,
}

/// The link as the provider created it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLink {
    /// The provider's id.
    pub id: LinkId,
    /// The address of its page.
    pub url: String,
}

/// What is known of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Until when it takes money.
    pub expires_at: Timestamp,
    /// The provider's link, once its creation was answered. Until then its address isn't known.
    pub created: Option<ProviderLink>,
    /// The state that was reported, joined.
    pub status: LinkStatus,
    /// Every order that was reported beneath it.
    pub orders: BTreeSet<OrderId>,
    /// Why it is not handed out any more, if so.
    pub withdrawn: Option<Withdrawal>,
    /// Whether the provider has no such link.
    pub is_absent: bool,
}

impl Link {
    /// A link that is to be created.
    #[must_use]
    pub fn opened(expires_at: Timestamp) -> Self {
        Self {
            expires_at,
            created: None,
            status: LinkStatus::Created,
            orders: BTreeSet::new(),
            withdrawn: None,
            is_absent: false,
        }
    }

    /// Whether nothing is to be done about it any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_absent || self.status.is_over()
    }

    /// Whether the price can be paid on its page. A partly paid link takes only the rest, which is
    /// never counted; and a page whose address was never known can't be opened.
    #[must_use]
    pub fn is_payable(&self) -> bool {
        self.created.is_some() && !self.is_absent && self.status == LinkStatus::Created
    }

    /// Whether it is handed out.
    #[must_use]
    pub fn is_usable(&self, now: Timestamp) -> bool {
        self.withdrawn.is_none()
            && !self.is_absent
            && self.status == LinkStatus::Created
            && self.expires_at > now.plus_seconds(LEAST_SECONDS)
    }

    /// Whether a report says something new.
    #[must_use]
    pub fn is_news(&self, fact: &LinkFact) -> bool {
        let is_new_order = fact.order.as_ref().is_some_and(|order| !self.orders.contains(order));
        is_new_order || fact.status > self.status
    }

    /// Joins a report.
    pub fn join(&mut self, fact: &LinkFact) {
        self.status = self.status.max(fact.status);
        self.orders.extend(fact.order.clone());
    }
}
