//! What several commands take: bookings, ids, keys, and how they answer.
use std::str::FromStr;

use kernel::IdempotencyKey;

/// The highest number of a session of a package.
pub(crate) const SESSIONS_MAX: i64 = 20;

/// What every command takes.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct CommonOptions {
    /// Print what programs read.
    #[arg(long, global = true, display_order = 100)]
    pub(crate) json: bool,
    /// Answer the question before what cannot be undone.
    #[arg(long, global = true, display_order = 100)]
    pub(crate) yes: bool,
}

/// The idempotency key of a command that changes something.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Key {
    /// Say again what may have been done already, without doing it twice.
    #[arg(long, value_parser = key)]
    key: Option<String>,
}

impl Key {
    /// The given key, or a new one.
    pub(crate) fn or_new(&self) -> String {
        self.key.clone().unwrap_or_else(|| format!("cli-{}", machine::secrets::random_secret()))
    }

    /// Whether it repeats an earlier try.
    pub(crate) fn is_given(&self) -> bool {
        self.key.is_some()
    }
}

fn key(text: &str) -> Result<String, String> {
    let wrong = || "it is the key that an earlier try has named".to_owned();
    IdempotencyKey::parse(text, 8).map(IdempotencyKey::into_string).ok_or_else(wrong)
}

/// A booking as staff name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Booking {
    /// The eight hexadecimal digits that mails and pages quote.
    Reference(String),
    /// The whole id.
    Id(String),
}

impl FromStr for Booking {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(Self::Reference(text.to_owned()));
        }
        let wrong =
            |_| "it is neither a booking's reference of 8 digits nor its id, bkg_…".to_owned();
        id(text, "bkg_").map(Self::Id).map_err(wrong)
    }
}

/// A booking that a command is about.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OneBooking {
    /// The reference of eight digits that mails quote, or the whole id.
    pub(crate) booking: Booking,
}

/// The same, and the key of what is done about it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct BookingWithKey {
    #[command(flatten)]
    pub(crate) of: OneBooking,
    #[command(flatten)]
    pub(crate) key: Key,
}

/// A command without arguments of its own.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Nothing {}

/// Reads an id with this prefix.
pub(crate) fn id(text: &str, prefix: &str) -> Result<String, String> {
    let digits = text.strip_prefix(prefix).unwrap_or_default();
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_owned());
    }
    Err(format!("it is no id that begins with {prefix} and has 32 digits"))
}

/// Reads arguments as a command would.
#[cfg(test)]
pub(crate) fn parsed<T: clap::Args>(words: &str) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("sukoon").no_binary_name(true));
    T::from_arg_matches(&command.try_get_matches_from(words.split_whitespace())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_booking_is_said_by_its_reference_or_its_id() {
        let id = format!("bkg_{}", "0a".repeat(16));
        for fine in ["DD4CA70C", "dd4ca70c", "00000000"] {
            assert_eq!(fine.parse(), Ok(Booking::Reference(fine.to_owned())));
        }
        assert_eq!(id.parse(), Ok(Booking::Id(id.clone())));
        for wrong in ["", "DD4CA70", "DD4CA70CC", "DD4CA70G", "bkg_1", "blk_dd4ca70c", &id[..35]] {
            assert!(wrong.parse::<Booking>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn keys_differ_and_fit_unless_one_is_said() {
        let none: Key = parsed("").unwrap();
        assert_ne!(none.or_new(), none.or_new());
        let made = none.or_new();
        let repeated: Key = parsed(&format!("--key {made}")).unwrap();
        assert_eq!((repeated.or_new(), repeated.is_given(), none.is_given()), (made, true, false));
        for wrong in ["short", "t\u{e9}n-letters", &"k".repeat(65)] {
            assert!(parsed::<Key>(&format!("--key {wrong}")).is_err(), "{wrong}");
        }
    }
}
