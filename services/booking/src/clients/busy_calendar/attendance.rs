//! Whether an invitation closes its owner's times: one that was declined does not, and neither does
//! one that is not answered, because everybody can send one.

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarParameterName, ICalendarParameterValue,
    ICalendarParticipationStatus, ICalendarProperty,
};

/// Whether the calendar's owner, who is invited at these addresses in small letters, does not come
/// or has not answered. An event without a word about the owner is the owner's own.
pub(super) fn is_not_accepted(component: &ICalendarComponent, invited_as: &[String]) -> bool {
    let own = |entry: &&ICalendarEntry| is_one_of(entry, invited_as);
    let named =
        |name: ICalendarProperty| component.entries.iter().filter(move |entry| entry.name == name);
    let answers: Vec<Answer> = named(ICalendarProperty::Attendee).filter(own).map(answer).collect();
    if answers.contains(&Answer::Comes) || answers.is_empty() {
        return false;
    }
    let organises = named(ICalendarProperty::Organizer).any(|entry| is_one_of(entry, invited_as));
    answers.contains(&Answer::StaysAway) || !organises
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Comes,
    StaysAway,
    None,
}

fn answer(entry: &ICalendarEntry) -> Answer {
    let status = entry.parameters(&ICalendarParameterName::Partstat).next();
    match status {
        Some(ICalendarParameterValue::Partstat(
            ICalendarParticipationStatus::Declined | ICalendarParticipationStatus::Delegated,
        )) => Answer::StaysAway,
        Some(ICalendarParameterValue::Partstat(ICalendarParticipationStatus::NeedsAction)) => {
            Answer::None
        }
        // Programs leave the word out where no answer was asked for.
        _ => Answer::Comes,
    }
}

/// Whether a person of an event is one of these. Some programs write the address beside the
/// person's value, which is an id then.
fn is_one_of(entry: &ICalendarEntry, addresses: &[String]) -> bool {
    let beside = entry.parameters(&ICalendarParameterName::Email).next();
    let beside = beside.and_then(ICalendarParameterValue::as_text);
    let value = entry.values.first().and_then(|value| value.as_text());
    [beside, value].into_iter().flatten().any(|text| addresses.contains(&address(text)))
}

/// An address as it is compared.
pub(super) fn address(text: &str) -> String {
    let text = text.trim().to_lowercase();
    text.strip_prefix("mailto:").unwrap_or(&text).trim().to_owned()
}
