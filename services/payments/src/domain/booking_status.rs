//! The status of a booking, as the table of known bookings stores it.

/// The status of a booking, as booking last reported it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BookingStatus {
    /// No event of it was received.
    #[default]
    Unknown,
    /// Its time is held.
    Requested,
    /// It is placed.
    Confirmed,
    /// It could not be placed; its money is refunded.
    Unplaced,
    /// Its hold ended without money.
    Expired,
    /// The customer gave the time back.
    Released,
    /// It was cancelled.
    Cancelled,
    /// The session took place.
    Completed,
}

impl BookingStatus {
    const KNOWN: [Self; 7] = [
        Self::Requested,
        Self::Confirmed,
        Self::Unplaced,
        Self::Expired,
        Self::Released,
        Self::Cancelled,
        Self::Completed,
    ];

    /// Its word in the table; none of what is not known.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Unknown => None,
            Self::Requested => Some("requested"),
            Self::Confirmed => Some("confirmed"),
            Self::Unplaced => Some("unplaced"),
            Self::Expired => Some("expired"),
            Self::Released => Some("released"),
            Self::Cancelled => Some("cancelled"),
            Self::Completed => Some("completed"),
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::KNOWN.into_iter().find(|it| it.word() == Some(word))
    }

    /// Whether money is still awaited for the booking: not once it is paid for, or over.
    #[must_use]
    pub fn takes_money(self) -> bool {
        match self {
            Self::Unknown | Self::Requested | Self::Confirmed => true,
            Self::Unplaced | Self::Expired | Self::Released | Self::Cancelled | Self::Completed => {
                false
            }
        }
    }

    /// Whether the booking is not ended without a session, so that its money must be here.
    #[must_use]
    pub fn is_live(self) -> bool {
        match self {
            Self::Unknown | Self::Requested | Self::Confirmed | Self::Completed => true,
            Self::Unplaced | Self::Expired | Self::Released | Self::Cancelled => false,
        }
    }
}
