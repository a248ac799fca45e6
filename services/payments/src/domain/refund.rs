//! A refund: asked for once, taken by the provider, and then processed or refused.

use super::fact::{Amount, PaymentId, ProviderRefundId};

/// Why money is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The booking could not be placed.
    Unplaced,
    /// The payment is not as ordered.
    Mismatched,
    /// The booking was paid already.
    Double,
}

impl Cause {
    /// The events' word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unplaced => "unplaced",
            Self::Mismatched => "mismatched",
            Self::Double => "double",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Unplaced, Self::Mismatched, Self::Double].into_iter().find(|it| it.word() == word)
    }
}

/// How a refund ended. A provider that refused may still have sent the money; that counts more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// It failed at the provider, or was refused for good.
    Failed,
    /// The money went back.
    Processed,
}

/// A refund and how far it has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// What is refunded.
    pub payment: PaymentId,
    /// How much.
    pub amount: Amount,
    /// Why.
    pub cause: Cause,
    /// The provider's id, once it took the refund.
    pub accepted: Option<ProviderRefundId>,
    /// How it ended, once it did.
    pub end: Option<End>,
}

/// How a refund stands at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Under way.
    Pending,
    /// The money went back.
    Processed,
    /// It failed there.
    Failed,
}

/// The provider's words for a refusal that no time and no balance will change.
const FINAL_REFUSALS: [&str; 1] = ["payment_too_old"];

/// Whether a refusal is the last word. Every other one (a balance that is too low, a rule of the
/// account, a word that we do not know) may pass, so it is asked again.
#[must_use]
pub fn is_final(reason: &str) -> bool {
    FINAL_REFUSALS.contains(&reason)
}

/// What was learnt about a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The provider has it.
    Taken {
        /// Under this id.
        id: ProviderRefundId,
        /// And this is how it stands.
        progress: Progress,
    },
    /// The provider does not take it now, for this reason.
    Refused(String),
}
