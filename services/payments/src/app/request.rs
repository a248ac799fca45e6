//! Checks of a request before the database is queried.

use kernel::Id;
use kernel::id::Booking;

use crate::error::{Error, Rejection, refuse};

/// How many characters an idempotency key has.
const KEY_CHARS: std::ops::RangeInclusive<usize> = 8..=64;

/// Reads a booking's id; what is none is the id of no booking.
///
/// # Errors
/// `BookingNotFound`.
pub fn parse_booking(text: &str) -> Result<Id<Booking>, Error> {
    text.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))
}

/// Checks a caller's key.
///
/// # Errors
/// When it is not 8 to 64 printable characters.
pub fn check_key(key: &str) -> Result<(), Error> {
    let good = KEY_CHARS.contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if good { Ok(()) } else { Err(refuse(Rejection::InvalidIdempotencyKey)) }
}

#[cfg(test)]
mod tests {
    use super::{check_key, parse_booking};

    #[test]
    fn keys_have_their_length_and_nothing_odd() {
        for good in ["12345678", &"k".repeat(64)] {
            assert!(check_key(good).is_ok(), "{good}");
        }
        for wrong in ["", "1234567", &"k".repeat(65), "with spaces in it", "nö-nö-nö-nö"] {
            assert!(check_key(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_invalid_id_is_no_booking() {
        assert!(parse_booking("bkg_019340000000700080000000000000ab").is_ok());
        assert!(parse_booking("usr_019340000000700080000000000000ab").is_err());
    }
}
