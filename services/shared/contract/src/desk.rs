//! Payments at the practice's desk. Other services distinguish them from the provider's by the
//! prefix of their ids.

use crate::common::v1::DeskWay;

const WAYS: [(&str, &str, DeskWay); 2] =
    [("desk_cash_", "cash", DeskWay::Cash), ("desk_upi_", "upi", DeskWay::Upi)];

/// How a payment was made at the desk, in a word; none for a payment of the provider.
#[must_use]
pub fn way_of(payment_id: &str) -> Option<&'static str> {
    found(payment_id).map(|(_, word, _)| *word)
}

/// How a payment was made at the desk, on the wire.
#[must_use]
pub fn wire_way_of(payment_id: &str) -> DeskWay {
    found(payment_id).map_or(DeskWay::Unspecified, |(.., way)| *way)
}

fn found(payment_id: &str) -> Option<&'static (&'static str, &'static str, DeskWay)> {
    WAYS.iter().find(|(prefix, ..)| payment_id.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::{DeskWay, way_of, wire_way_of};

    #[test]
    fn payments_of_the_provider_are_none_of_the_desk() {
        assert_eq!(way_of("desk_cash_0123"), Some("cash"));
        assert_eq!(wire_way_of("desk_upi_0123"), DeskWay::Upi);
        for other in ["pay_Q0000000000001", "desk", "", "desk_card_1"] {
            assert_eq!((way_of(other), wire_way_of(other)), (None, DeskWay::Unspecified));
        }
    }
}
