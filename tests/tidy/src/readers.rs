//! Events name the services that act on them (`common.v1.read_by` in `proto/`): those whose
//! consumers ask for them, and no others. An event that does not name a reader would reach it late.
use std::collections::BTreeSet;

use crate::tree::SourceFile;

/// An event's name without its package, with a service that acts on it.
type Read = (String, String);

/// Options that no consumer fits, and consumers that no option fits.
#[must_use]
pub fn faults(files: &[SourceFile]) -> Vec<String> {
    let named: BTreeSet<Read> = files.iter().flat_map(named_in).collect();
    let asked: BTreeSet<Read> = files.iter().flat_map(asked_for).collect();
    let missing = asked.difference(&named);
    let missing = missing.map(|(event, service)| format!("{event} isn't read_by {service:?}"));
    let idle = named.difference(&asked).map(|(event, service)| {
        format!("{event} is read_by {service:?}, and no consumer of it asks for the event")
    });
    missing.chain(idle).collect()
}

/// The readers that the events of a file of `proto/` name.
fn named_in(file: &SourceFile) -> Vec<Read> {
    let (mut event, mut found) = (String::new(), Vec::new());
    if !file.ends_with("_events.proto") {
        return found;
    }
    for line in file.text.lines() {
        if let Some(name) = line.strip_prefix("message ") {
            event = name.trim_end_matches(" {").to_owned();
        }
        if let Some((_, reader)) = line.split_once("option (common.v1.read_by) = ") {
            found.push((event.clone(), reader.trim_matches(['"', ';']).to_owned()));
        }
    }
    found
}

/// What a consumer, or a mail that it queues, asks an event for.
fn asked_for(file: &SourceFile) -> Vec<Read> {
    let Some((service, path)) =
        file.path.strip_prefix("services/").and_then(|path| path.split_once("/src/"))
    else {
        return Vec::new();
    };
    if !path.starts_with("consumers") && !path.starts_with("mails/kinds") {
        return Vec::new();
    }
    let names = file.text.split(".get::<").skip(1).filter_map(|rest| rest.split('>').next());
    let short = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    names.map(|name| (short(name), service.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::faults;
    use crate::tree::SourceFile;

    #[test]
    fn both_sides_name_the_same() {
        let event = |reader: &str| {
            let text = format!(
                "message BookingPaid {{\n  option (common.v1.read_by) = \"{reader}\";\n}}\n"
            );
            SourceFile::sample("proto/booking/v1/booking_events.proto", &text)
        };
        let consumer = SourceFile::sample(
            "services/payments/src/consumers/booking.rs",
            "if let Some(e) = event.get::<booking::BookingPaid>()? {}",
        );
        assert!(faults(&[event("payments"), consumer.clone()]).is_empty());
        assert_eq!(faults(&[event("payments")]).len(), 1, "no consumer asks");
        assert_eq!(faults(std::slice::from_ref(&consumer)).len(), 1, "it is not named");
        assert_eq!(faults(&[event("reviews"), consumer]).len(), 2);
    }
}
