//! Money that changes hands at the practice's desk, in cash or by UPI, without the provider.

use uuid::Uuid;

use super::fact::PaymentId;

kernel::words! {
    /// How money is paid or given back at the desk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Way {
        /// In cash.
        Cash = "cash",
        /// By UPI to the practice's own account.
        Upi = "upi",
    }
}

/// The longest reference of a bank.
const REFERENCE_CHARS_MAX: usize = 40;

/// What a person at the desk says of money that changed hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handover {
    /// How.
    pub way: Way,
    /// The bank's reference of a payment by UPI; may be empty.
    pub reference: String,
}

impl Handover {
    /// Takes a way and a reference: letters, digits, "-" and "/", and none for cash.
    #[must_use]
    pub fn new(way: Way, reference: &str) -> Option<Self> {
        let reference = reference.trim();
        let is_reference = reference.len() <= REFERENCE_CHARS_MAX
            && reference.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'/'));
        let fits = is_reference && (way == Way::Upi || reference.is_empty());
        fits.then(|| Self { way, reference: reference.to_owned() })
    }
}

/// Our id of a payment at the desk. It begins with its way, by which other services know it:
/// `contract::desk` reads it. The provider's ids begin otherwise.
#[must_use]
pub fn payment_id(way: Way, id: Uuid) -> Option<PaymentId> {
    PaymentId::parse(&format!("desk_{}_{}", way.word(), id.simple()))
}

#[cfg(test)]
mod tests {
    use super::{Handover, Way};

    #[test]
    fn a_reference_is_of_upi_and_short() {
        let taken = |way, reference| Handover::new(way, reference).map(|it| it.reference);
        assert_eq!(taken(Way::Upi, " 412345678901 ").as_deref(), Some("412345678901"));
        assert_eq!(taken(Way::Upi, "").as_deref(), Some(""));
        assert_eq!(taken(Way::Cash, "").as_deref(), Some(""));
        assert_eq!(taken(Way::Cash, "412345678901"), None);
        assert_eq!(taken(Way::Upi, "a b"), None);
        assert_eq!(taken(Way::Upi, &"1".repeat(41)), None);
    }
}
