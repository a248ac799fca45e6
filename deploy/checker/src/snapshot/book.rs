//! The payment provider's own book.

use std::collections::BTreeMap;

use kernel::Timestamp;
use payments::domain::dispute::DisputeState;

/// What the payment provider itself knows: its book, not ours.
#[derive(Debug, Clone, Default)]
pub struct ProviderBook {
    /// Its orders.
    pub orders: Vec<ProviderOrder>,
    /// Its payment links.
    pub links: Vec<ProviderLink>,
    /// Its payments.
    pub payments: Vec<ProviderPayment>,
    /// Its refunds.
    pub refunds: Vec<ProviderRefund>,
    /// The sum of what it has added to settlements, or taken off, for no payment, in paise.
    pub adjustments_minor: i64,
    /// Its disputes.
    pub disputes: Vec<ProviderDispute>,
    /// What lost disputes took, in minor units, by the payment.
    pub lost_in_disputes: BTreeMap<String, i64>,
}

/// An order at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderOrder {
    /// Its id.
    pub order_id: String,
    /// Our receipt.
    pub receipt: String,
    /// Minor units.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// A payment link at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLink {
    /// Its id.
    pub provider_link_id: String,
    /// Our reference.
    pub reference: String,
    /// `created`, `partially_paid`, `paid`, `cancelled` or `expired`.
    pub status: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// Since when it takes no money, if it takes none.
    pub ended_at: Option<Timestamp>,
}

/// A payment at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderPayment {
    /// Its id.
    pub payment_id: String,
    /// The order that it names, if it names one.
    pub order_id: Option<String>,
    /// Minor units.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
    /// `created`, `authorized`, `captured`, `refunded` or `failed`, as it stands now.
    pub status: String,
    /// When it was captured, if it ever was.
    pub captured_at: Option<Timestamp>,
    /// Whether the provider counts it as full payment of its order, regardless of its amount.
    pub pays_order: bool,
}

/// A refund at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRefund {
    /// The provider's id.
    pub provider_refund_id: String,
    /// What it refunds.
    pub payment_id: String,
    /// Minor units.
    pub amount_minor: i64,
    /// `pending`, `processed` or `failed`.
    pub status: String,
    /// Our id, when we asked for it; none for one made on the provider's own pages.
    pub receipt: Option<String>,
}

/// A dispute at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderDispute {
    /// The provider's id.
    pub dispute_id: String,
    /// What is disputed.
    pub payment_id: String,
    /// `open`, `under_review`, `action_required`, `closed`, `won` or `lost`.
    pub state: String,
}

impl ProviderDispute {
    /// Whether nothing is decided yet.
    #[must_use]
    pub fn is_open(&self) -> bool {
        DisputeState::from_word(&self.state).is_some_and(DisputeState::is_open)
    }
}
