//! The arguments of a command.
use std::collections::{BTreeMap, BTreeSet};

/// All switches. Every command accepts all of them, and only some commands use the later ones.
const SWITCHES: [&str; 9] =
    ["json", "yes", "all", "failed", "waiting", "names", "mail", "release", "words"];

/// An error in how a command was written.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(pub(super) String);

/// The arguments of a command: positional ones, options with values, and switches.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    plain: Vec<String>,
    options: BTreeMap<String, String>,
    switches: BTreeSet<String>,
}

impl Arguments {
    /// Parses the words. `value_options` are the options that take a value.
    pub(super) fn read(
        words: &[String],
        value_options: &[&str],
        (fewest, most): (usize, usize),
    ) -> Result<Self, Usage> {
        let mut read = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix("--") else {
                read.plain.push(word.clone());
                continue;
            };
            let (name, joined) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            if SWITCHES.contains(&name) && joined.is_none() {
                read.switches.insert(name.to_owned());
            } else if value_options.contains(&name) {
                let value = joined.or_else(|| words.next().cloned());
                let value = value.ok_or_else(|| Usage(format!("--{name} needs a value")))?;
                read.options.insert(name.to_owned(), value);
            } else {
                return Err(Usage(format!("there is no option {word}")));
            }
        }
        match read.plain.len() {
            count if count < fewest => Err(Usage("something is missing".to_owned())),
            count if count > most => Err(Usage("that is too much".to_owned())),
            _ => Ok(read),
        }
    }

    /// The argument at a position, or an empty text.
    pub(super) fn at(&self, position: usize) -> &str {
        self.plain.get(position).map_or("", String::as_str)
    }

    /// The number of positional arguments.
    pub(super) fn count(&self) -> usize {
        self.plain.len()
    }

    /// The value of an option, or an empty text.
    pub(super) fn option(&self, name: &str) -> &str {
        self.options.get(name).map_or("", String::as_str)
    }

    /// Puts another value at a position.
    pub(super) fn set_at(&mut self, position: usize, value: String) {
        if let Some(plain) = self.plain.get_mut(position) {
            *plain = value;
        }
    }

    /// Gives an option another value.
    pub(super) fn set_option(&mut self, name: &str, value: String) {
        self.options.insert(name.to_owned(), value);
    }

    /// Whether a switch was given.
    pub(super) fn has(&self, switch: &str) -> bool {
        self.switches.contains(switch)
    }

    /// Whether the output has to be JSON.
    pub(super) fn json(&self) -> bool {
        self.has("json")
    }
}

/// Checks that the argument at a position is an id with this prefix.
pub(super) fn check_id(arguments: &Arguments, position: usize, prefix: &str) -> Result<(), Usage> {
    check_id_form(arguments.at(position), prefix)
}

/// Checks that the argument at a position is a booking's id, or the reference that mails quote.
pub(super) fn check_booking(arguments: &Arguments, position: usize) -> Result<(), Usage> {
    check_booking_form(arguments.at(position))
}

/// Checks that a text is a booking's id, or the reference that mails quote.
pub(super) fn check_booking_form(text: &str) -> Result<(), Usage> {
    if is_reference(text) || check_id_form(text, "bkg_").is_ok() {
        return Ok(());
    }
    Err(Usage(format!("{text} is neither a booking's reference of 8 digits nor its id, bkg_…")))
}

/// Whether a text has the form of the reference that mails quote: eight hexadecimal digits.
pub(super) fn is_reference(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Checks that a text is an id with this prefix.
pub(super) fn check_id_form(id: &str, prefix: &str) -> Result<(), Usage> {
    let digits = id.strip_prefix(prefix).unwrap_or_default();
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(Usage(format!("{id} is no id that begins with {prefix} and has 32 digits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Arguments, Usage> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Arguments::read(&words, &["by", "refund"], (1, 2))
    }

    #[test]
    fn options_may_be_anywhere_and_joined_with_their_value() {
        let read = read("--by practice bkg_1 --json --refund=none").unwrap();
        assert_eq!((read.at(0), read.at(1), read.count()), ("bkg_1", "", 1));
        assert_eq!((read.option("by"), read.option("refund")), ("practice", "none"));
        assert!(read.json() && !read.has("yes"));
    }

    #[test]
    fn missing_surplus_and_unknown_arguments_are_reported() {
        let error_of = |words: &str| read(words).unwrap_err().to_string();
        assert_eq!(error_of(""), "something is missing");
        assert_eq!(error_of("a b c"), "that is too much");
        assert_eq!(error_of("a --loud"), "there is no option --loud");
        assert_eq!(error_of("a --by"), "--by needs a value");
        assert_eq!(error_of("a --yes=no"), "there is no option --yes=no");
    }

    #[test]
    fn a_booking_is_said_by_its_reference_or_its_id() {
        let id = format!("bkg_{}", "0a".repeat(16));
        for fine in ["DD4CA70C", "dd4ca70c", "00000000", &id] {
            assert_eq!(check_booking_form(fine), Ok(()), "{fine}");
        }
        for wrong in ["", "DD4CA70", "DD4CA70CC", "DD4CA70G", "bkg_1", "blk_dd4ca70c"] {
            assert!(check_booking_form(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_id_is_known_by_its_form() {
        let arguments = |id: &str| Arguments { plain: vec![id.to_owned()], ..Default::default() };
        let good = format!("bkg_{}", "0a".repeat(16));
        assert_eq!(check_id(&arguments(&good), 0, "bkg_"), Ok(()));
        for wrong in ["", "bkg_1", "blk_0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a", &good[..35]] {
            assert!(check_id(&arguments(wrong), 0, "bkg_").is_err(), "{wrong}");
        }
    }
}
