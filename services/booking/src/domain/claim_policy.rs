//! Whether a client's word that a booking is paid confirms it.

kernel::words! {
    /// How a customer's claim to have paid is treated.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ClaimPolicy {
        /// The provider is queried and staff see the claim; only verified money or staff confirm
        /// the booking.
        Review = "review",
        /// A claim confirms the booking if its time is free.
        Accept = "accept",
    }
}
