//! Every event as it is stored, every word of its enums, and every call, as snapshots.

use std::collections::BTreeMap;

use prost::Message as _;
use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, FileDescriptor, Kind, MessageDescriptor, Value,
};

use super::{encoded_to_json, pool};
use crate::calls::{CALLS, Call, Origin, SecondFactor};

const TIMESTAMP: &str = "google.protobuf.Timestamp";

fn files() -> impl Iterator<Item = FileDescriptor> {
    pool().unwrap().files()
}

fn event_files() -> impl Iterator<Item = FileDescriptor> {
    files().filter(|file| file.name().ends_with("_events.proto"))
}

/// A message with every field set; a list has one element.
fn sample(of: &MessageDescriptor) -> DynamicMessage {
    let mut message = DynamicMessage::new(of.clone());
    if of.full_name() == TIMESTAMP {
        message.set_field_by_name("seconds", Value::I64(1_795_498_200));
        message.set_field_by_name("nanos", Value::I32(123_456_000));
        return message;
    }
    for field in of.fields() {
        let value = value(&field);
        let value = if field.is_list() { Value::List(vec![value]) } else { value };
        message.set_field(&field, value);
    }
    message
}

/// A value that tells which field it is in: its name or number.
fn value(of: &FieldDescriptor) -> Value {
    assert!(!of.is_map() && of.containing_oneof().is_none(), "{} is new here", of.full_name());
    match of.kind() {
        Kind::String => Value::String(format!("a {}", of.name())),
        Kind::Bool => Value::Bool(true),
        Kind::Int32 => Value::I32(i32::try_from(of.number()).unwrap()),
        Kind::Int64 => Value::I64(i64::from(of.number())),
        Kind::Enum(words) => {
            Value::EnumNumber(words.values().map(|word| word.number()).max().unwrap())
        }
        Kind::Message(part) => Value::Message(sample(&part)),
        other => panic!("{} has a kind that no event had: {other:?}", of.full_name()),
    }
}

/// Nested messages first: an enum's name is needed once.
fn collect_enums(of: &MessageDescriptor, found: &mut BTreeMap<String, EnumDescriptor>) {
    for field in of.fields() {
        match field.kind() {
            Kind::Enum(words) => drop(found.insert(words.full_name().to_owned(), words)),
            Kind::Message(part) => collect_enums(&part, found),
            _ => {}
        }
    }
}

#[test]
fn events_are_stored_like_this() {
    let mut stored = BTreeMap::new();
    for message in event_files().flat_map(|file| file.messages().collect::<Vec<_>>()) {
        let name = message.full_name();
        let json = encoded_to_json(name, &sample(&message).encode_to_vec()).unwrap();
        let missing = message.fields().find(|field| json.get(field.json_name()).is_none());
        assert!(missing.is_none(), "{name} lacks {missing:?}");
        stored.insert(name.to_owned(), json);
    }
    let part = |(name, json)| format!("{name}\n{json:#}\n\n");
    let text: String = stored.into_iter().map(part).collect();
    insta::assert_snapshot!("events", text);
}

#[test]
fn enums_of_events_are_stored_in_these_words() {
    let mut found = BTreeMap::new();
    for message in event_files().flat_map(|file| file.messages().collect::<Vec<_>>()) {
        collect_enums(&message, &mut found);
    }
    let mut text = String::new();
    for (name, words) in found {
        text.push_str(&format!("{name}\n"));
        for word in words.values() {
            text.push_str(&format!("  {} {}\n", word.number(), word.name()));
        }
    }
    insta::assert_snapshot!("event_enums", text);
}

#[test]
fn services_have_these_calls() {
    let mut calls = Vec::new();
    for service in files().flat_map(|file| file.services().collect::<Vec<_>>()) {
        for method in service.methods() {
            let stream = if method.is_server_streaming() { "stream of " } else { "" };
            assert!(!method.is_client_streaming(), "{} is new here", method.full_name());
            let (input, output) = (method.input(), method.output());
            calls.push(format!(
                "/{}/{} {} -> {stream}{}",
                service.full_name(),
                method.name(),
                input.full_name(),
                output.full_name(),
            ));
        }
    }
    calls.sort();
    insta::assert_snapshot!("calls", calls.join("\n"));
}

/// Access, limit and cache are in the gateway's snapshot, with what it makes of them.
#[test]
fn calls_ask_for_this() {
    let says_something = CALLS.iter().filter(|call| {
        call.second_factor != SecondFactor::Unspecified || call.origin != Origin::Unspecified
    });
    let line = |call: &Call| {
        let (level, origin) = (call.second_factor, call.origin);
        format!("{} second factor: {level:?}, origin: {origin:?}", call.path)
    };
    let mut lines: Vec<String> = says_something.map(line).collect();
    lines.sort();
    insta::assert_snapshot!("call_options", lines.join("\n"));
}
