//! Why captured money does not count.

use super::refund::Cause;

/// Why a captured payment does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mismatch {
    /// Another amount.
    Amount,
    /// Another currency.
    Currency,
    /// Another order, or none.
    Order,
    /// The booking was paid already.
    Double,
}

impl Mismatch {
    /// The events' word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Currency => "currency",
            Self::Order => "order",
            Self::Double => "double",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Amount, Self::Currency, Self::Order, Self::Double]
            .into_iter()
            .find(|it| it.word() == word)
    }

    /// Why its money is given back.
    #[must_use]
    pub fn cause(self) -> Cause {
        match self {
            Self::Amount | Self::Currency | Self::Order => Cause::Mismatched,
            Self::Double => Cause::Double,
        }
    }
}
