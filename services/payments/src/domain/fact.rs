//! What a provider reported about a payment. Facts are joined, never overwritten: order and
//! repetition do not change the result.

use std::fmt;

use kernel::Money;

/// The longest id of the known providers.
const ID_CHARS_MAX: usize = 64;

macro_rules! provider_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes a provider's id; `None` for a text that no provider would give.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                is_provider_id(text).then(|| Self(text.to_owned()))
            }

            /// The id as the provider writes it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

provider_ids! {
    /// The provider's id of an order.
    OrderId
    /// The provider's id of a payment.
    PaymentId
    /// The provider's id of a refund.
    ProviderRefundId
    /// The provider's id of a dispute.
    DisputeId
    /// The provider's id of a payment link.
    LinkId
    /// The provider's id of a payout to the practice's bank.
    SettlementId
    /// The provider's id of what a line of a settlement is about.
    SettledId
}

/// Letters, digits and underscores only: these ids become parts of URLs and of signed texts.
fn is_provider_id(text: &str) -> bool {
    (1..=ID_CHARS_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// An amount in the currency that the provider named, whichever that is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount {
    /// Whole minor units.
    pub minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}

impl From<Money> for Amount {
    fn from(money: Money) -> Self {
        Self { minor: money.minor, currency: money.currency.code().to_owned() }
    }
}

kernel::words! {
    /// How far a payment has come. A later one outranks an earlier one; `Failed` is not final,
    /// because a bank may find the money days later.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Status {
        /// The payer began.
        Created = "created",
        /// It failed, for now.
        Failed = "failed",
        /// The bank has set the money aside.
        Authorized = "authorized",
        /// The money is ours.
        Captured = "captured",
        /// All of it was given back.
        Refunded = "refunded",
    }
}

/// What is known of one payment. Its order, field by field, is the join's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// How far it has come.
    pub status: Status,
    /// The amount that the provider named.
    pub amount: Amount,
    /// The order that the provider named; `None` when it named none.
    pub order: Option<OrderId>,
}

impl Fact {
    /// What is known of a payment at the practice's desk: its money is here, and no order stands
    /// behind it.
    #[must_use]
    pub fn at_desk(amount: &Amount) -> Self {
        Self { status: Status::Captured, amount: amount.clone(), order: None }
    }
}

/// A payment and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    /// Its id.
    pub id: PaymentId,
    /// What is known.
    pub fact: Fact,
}

/// What the provider says of an order: the authority over a payment of another amount, because the
/// provider adds a convenience fee or takes a discount off where the practice's settings there say
/// so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderFact {
    /// The provider's name.
    pub provider: String,
    /// Its id.
    pub id: OrderId,
    /// Its amount.
    pub amount: Amount,
    /// Whether the provider calls it paid, and nothing of it due.
    pub is_paid_in_full: bool,
}

kernel::words! {
    /// The source of a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Source {
        /// A fetch after the checkout's signed answer.
        Checkout = "checkout",
        /// A webhook of the provider.
        Webhook = "webhook",
        /// A poll.
        Poll = "poll",
    }
}
