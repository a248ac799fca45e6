//! Checks of a request before the database is queried.

use kernel::id::Booking;
use kernel::{Id, IdempotencyKey};

use crate::error::{Error, Rejection, refuse};

/// How many characters an idempotency key has at least.
const KEY_CHARS_MIN: usize = 8;

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
pub fn parse_key(key: &str) -> Result<String, Error> {
    let key = IdempotencyKey::parse(key, KEY_CHARS_MIN).map(IdempotencyKey::into_string);
    key.ok_or(refuse(Rejection::InvalidIdempotencyKey))
}

#[cfg(test)]
mod tests {
    use super::{parse_booking, parse_key};

    #[test]
    fn keys_have_their_length_and_nothing_odd() {
        assert!(parse_key("12345678").is_ok());
        for wrong in ["1234567", "with spaces in it"] {
            assert!(parse_key(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_invalid_id_is_no_booking() {
        assert!(parse_booking("bkg_019340000000700080000000000000ab").is_ok());
        assert!(parse_booking("usr_019340000000700080000000000000ab").is_err());
    }
}
