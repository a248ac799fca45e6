//! Whether a client's word that a booking is paid confirms it.

/// How a customer's claim to have paid is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimPolicy {
    /// The provider is queried and staff see the claim; only verified money or staff confirm the
    /// booking.
    Review,
    /// A claim confirms the booking if its time is free.
    Accept,
}

impl std::str::FromStr for ClaimPolicy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "review" => Ok(Self::Review),
            "accept" => Ok(Self::Accept),
            _ => Err("it must be review or accept"),
        }
    }
}
