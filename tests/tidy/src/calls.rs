//! Every call that the contract makes public is reached through the gateway: it stands in the
//! gateway's list of calls, and the gateway forwards it. Without a line there it is 404 from
//! outside, and no test of its service notices.
use crate::tree::SourceFile;

/// The list of calls with their access, and the code that forwards them.
const LISTED: &str = "gateway/src/procedures.rs";
const FORWARDED: &str = "gateway/src/rpc.rs";
/// How services are called that only services call.
const INTERNAL: &str = "InternalService";
/// What the gateway calls for an address of its own, below `/calendars/`.
const SERVED_OTHERWISE: [&str; 1] = ["BOOKING_CALENDAR_SERVICE_GET_SESSION_CALENDAR_SPEC"];
/// Packages whose services are each service's own and for services alone.
const INNER_PACKAGES: [&str; 2] = ["proto/common/", "proto/identity/"];

/// Calls of the contract that cannot be reached from outside.
#[must_use]
pub fn unreached(files: &[SourceFile]) -> Vec<String> {
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str()).unwrap_or_default()
    };
    let (listed, forwarded) = (text(LISTED), text(FORWARDED));
    let mut faults = Vec::new();
    let protos = files.iter().filter(|file| {
        file.ends_with(".proto") && !INNER_PACKAGES.iter().any(|it| file.path.starts_with(it))
    });
    for file in protos {
        for (service, method) in calls(&file.text) {
            let snake = snake(&method);
            let spec = format!("{}_{}_SPEC", self::snake(&service), snake).to_uppercase();
            if SERVED_OTHERWISE.contains(&spec.as_str()) {
                continue;
            }
            if !words(listed).any(|word| word == spec) {
                faults.push(format!("{LISTED} does not list {service}.{method}: add {spec}"));
            }
            if !implementation(forwarded, &service).any(|word| word == snake) {
                faults
                    .push(format!("{FORWARDED} does not forward {service}.{method}: add {snake}"));
            }
        }
    }
    faults
}

/// The services that are not internal, each with its methods.
fn calls(proto: &str) -> Vec<(String, String)> {
    let mut service = "";
    let mut found = Vec::new();
    for line in proto.lines() {
        if let Some(rest) = line.strip_prefix("service ") {
            service = rest.split([' ', '{']).next().unwrap_or_default();
        } else if line.starts_with('}') {
            service = "";
        }
        let method = line.trim_start().strip_prefix("rpc ").and_then(|rest| rest.split('(').next());
        if let Some(method) = method.filter(|_| !service.is_empty() && !service.ends_with(INTERNAL))
        {
            found.push((service.to_owned(), method.trim().to_owned()));
        }
    }
    found
}

/// The words of the block that implements a service.
fn implementation<'a>(text: &'a str, service: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!("::{service} for ");
    let block = text.split_once(&begin).map(|(_, after)| after).unwrap_or_default();
    words(block.split("\n}\n").next().unwrap_or_default())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// `ListSlots` → `list_slots`
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_the_gateway_does_not_know_is_found() {
        let proto = "service DeskService {\n  rpc ListBells(A) returns (B);\n  rpc Ring(C) returns \
                     (D);\n}\nservice DeskInternalService {\n  rpc Mute(E) returns (F);\n}\n";
        let mut files = vec![
            SourceFile::sample("proto/desk/v1/desk_service.proto", proto),
            SourceFile::sample(LISTED, "(desk::DESK_SERVICE_LIST_BELLS_SPEC, Access::Public),"),
            SourceFile::sample(
                FORWARDED,
                "impl desk::DeskService for Desk {\n    list_bells: A => B;\n}\nfn ring() {}\n",
            ),
        ];
        let faults = unreached(&files);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("add DESK_SERVICE_RING_SPEC"), "{faults:?}");
        assert!(faults[1].contains("add ring"), "{faults:?}");
        files.remove(0);
        assert_eq!(unreached(&files), Vec::<String>::new());
    }
}
