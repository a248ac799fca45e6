//! Why captured money does not count.

use super::refund::Cause;

kernel::words! {
    /// Why a captured payment does not count.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Mismatch {
        /// Another amount.
        Amount = "amount",
        /// Another currency.
        Currency = "currency",
        /// Another order, or none.
        Order = "order",
        /// The booking was paid already.
        Double = "double",
    }
}

impl Mismatch {
    /// Why its money is given back.
    #[must_use]
    pub fn cause(self) -> Cause {
        match self {
            Self::Amount | Self::Currency | Self::Order => Cause::Mismatched,
            Self::Double => Cause::Double,
        }
    }
}
