//! Which services read which events. A reader gets all events of a source in their order; one that
//! it does not read moves its checkpoint and nothing else, so it waits for the next that it reads.

use crate::json;

/// The events that other services act on, with these services, by name: the option
/// `common.v1.read_by` of `proto/`. A missing entry delays a reaction by some seconds; `tests/tidy`
/// holds the options to what consumers ask for.
pub const READERS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/readers.rs"));

/// Whether a service acts on an event of this type; also when this program does not know the type.
#[must_use]
pub fn is_read_by(service: &str, event_type: &str) -> bool {
    match readers(event_type) {
        Some(readers) => readers.contains(&service),
        None => !json::is_known(event_type),
    }
}

/// Whether any other service acts on an event of this type.
#[must_use]
pub fn is_read(event_type: &str) -> bool {
    readers(event_type).is_some() || !json::is_known(event_type)
}

fn readers(event_type: &str) -> Option<&'static [&'static str]> {
    let at = READERS.binary_search_by_key(&event_type, |(name, _)| name).ok()?;
    READERS.get(at).map(|(_, readers)| *readers)
}

#[cfg(test)]
mod tests {
    use super::{READERS, is_read, is_read_by};
    use crate::json::is_known;

    #[test]
    fn readers_are_those_of_the_list() {
        assert!(READERS.iter().all(|(name, _)| is_known(name) && is_read(name)));
        assert!(is_read_by("reviews", "booking.v1.BookingRequested"));
        assert!(!is_read_by("notifications", "booking.v1.BookingRequested"));
        assert!(!is_read("booking.v1.SlotHeld") && !is_read_by("payments", "booking.v1.SlotHeld"));
    }

    #[test]
    fn an_event_of_a_newer_release_is_for_every_reader() {
        assert!(
            is_read_by("reviews", "booking.v1.BookingRecoloured")
                && is_read("booking.v1.BookingRecoloured")
        );
    }
}
