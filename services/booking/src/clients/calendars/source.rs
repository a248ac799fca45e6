//! A practitioner's own calendar and how it is reached.

use practice::{BusyCalendar, CalendarKind};
use secrecy::{ExposeSecret as _, SecretString};

/// A calendar of a practitioner.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its id.
    pub calendar_id: String,
    /// Whose times it closes.
    pub practitioner_id: String,
    /// How it is read.
    pub kind: CalendarKind,
    /// The addresses at which its owner is invited.
    pub invited_as: Vec<String>,
    pub(super) url: String,
    pub(super) username: String,
    pub(super) secret: Option<SecretString>,
}

/// The addresses at which a calendar's owner is invited: those that the practice names, else the
/// name of the account, or what stands in the address of a calendar at Google.
pub(super) fn invited_as(calendar: &BusyCalendar, secret: Option<&SecretString>) -> Vec<String> {
    if !calendar.invited_as.is_empty() {
        return calendar.invited_as.clone();
    }
    let in_address = match (calendar.kind, secret) {
        (CalendarKind::Address, Some(secret)) => mail_address_in(secret.expose_secret()),
        _ => None,
    };
    let username = Some(calendar.username.clone()).filter(|name| name.contains('@'));
    username.into_iter().chain(in_address).collect()
}

/// The part of an address's path that is a mail address.
fn mail_address_in(address: &str) -> Option<String> {
    let path = address.split_once("://").and_then(|(_, rest)| rest.split_once('/'))?.1;
    let is_mail_address = |part: &String| {
        part.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
    };
    let mut parts = path.split(['/', '?']).map(|part| part.replace("%40", "@"));
    parts.find(is_mail_address)
}

#[cfg(test)]
mod tests {
    use practice::{BusyCalendar, CalendarKind};
    use secrecy::SecretString;

    use super::invited_as;

    #[test]
    fn without_a_word_of_the_practice_the_owner_is_the_accounts_or_the_addresses() {
        let calendar = |kind, username: &str, named: &[&str]| BusyCalendar {
            calendar_id: "own".to_owned(),
            practitioner_id: "lead".to_owned(),
            kind,
            url: String::new(),
            username: username.to_owned(),
            invited_as: named.iter().map(|&address| address.to_owned()).collect(),
        };
        let google =
            "https://calendar.example/calendar/ical/ravi%40example.org/private-1/basic.ics";
        let google = SecretString::from(google);
        for (calendar, secret, expected) in [
            (calendar(CalendarKind::Address, "", &["a@b.example"]), &google, "a@b.example"),
            (calendar(CalendarKind::Address, "", &[]), &google, "ravi@example.org"),
            (calendar(CalendarKind::Caldav, "asha@example.org", &[]), &google, "asha@example.org"),
        ] {
            assert_eq!(invited_as(&calendar, Some(secret)), [expected]);
        }
        let none = calendar(CalendarKind::Caldav, "asha", &[]);
        assert_eq!(invited_as(&none, Some(&"a@b".into())), [""; 0]);
        let plain = SecretString::from("https://calendar.example/secret/@/x.ics");
        let none = calendar(CalendarKind::Address, "", &[]);
        assert_eq!(invited_as(&none, Some(&plain)), [""; 0]);
    }
}
