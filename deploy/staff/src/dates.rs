//! Dates and times in the practice's time zone.
use crate::labels::{list, text};
use crate::session::Session;
use crate::table::Table;
use anyhow::{Context, Result};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};

/// The practice's time zone, from its catalogue.
pub(crate) struct Zone {
    zone: TimeZone,
    /// The zone's short name, for example "IST".
    pub(crate) label: String,
    /// The practice's name.
    pub(crate) practice: String,
    /// Whether it has more than one practitioner.
    has_several_practitioners: bool,
}

impl Zone {
    /// Requests the zone from the catalogue.
    pub(crate) async fn of(session: &Session) -> Result<Self> {
        let method = "catalogue.v1.CatalogueService/GetPractice";
        let answer = session.call(method, &json!({})).await?;
        let practice = &answer["practice"];
        let name = text(&practice["timeZone"]);
        let zone = TimeZone::get(&name).context("the practice's zone is not known here")?;
        let (label, practice) = (text(&practice["timeZoneLabel"]), text(&practice["name"]));
        let has_several_practitioners = !list(&answer["practice"]["practitioners"]).is_empty();
        Ok(Self { zone, label, practice, has_several_practitioners })
    }

    /// A table whose column WITH, for the practitioner, is shown where there are several.
    pub(crate) fn table(&self, headings: &'static [&'static str]) -> Table {
        let table = Table::new(headings);
        if self.has_several_practitioners { table } else { table.without("WITH") }
    }

    fn local(&self, instant: &Value) -> Option<Zoned> {
        let instant: Timestamp = instant.as_str()?.parse().ok()?;
        Some(instant.to_zoned(self.zone.clone()))
    }

    /// The instant of a local time.
    pub(crate) fn instant(&self, local: DateTime) -> Result<String> {
        let zoned = local.to_zoned(self.zone.clone()).context("there is no such local time")?;
        Ok(zoned.timestamp().to_string())
    }

    /// A date such as "2026-11-24", or an empty text.
    pub(crate) fn day(&self, instant: &Value) -> String {
        self.local(instant).map(|local| local.date().to_string()).unwrap_or_default()
    }

    /// A time such as "11:00", or an empty text.
    pub(crate) fn time(&self, instant: &Value) -> String {
        self.local(instant).map(|local| local.strftime("%H:%M").to_string()).unwrap_or_default()
    }

    /// A period such as "11:00-11:45". A session that ends at midnight ends at 24:00.
    pub(crate) fn span(&self, session: &Value) -> String {
        let from = self.time(&session["startsAt"]);
        let to = self.time(&session["endsAt"]);
        let to = if to == "00:00" { "24:00" } else { &to };
        format!("{from}-{to}")
    }

    /// A date and a time such as "2026-11-24 11:00", or an empty text.
    pub(crate) fn moment(&self, instant: &Value) -> String {
        format!("{} {}", self.day(instant), self.time(instant)).trim().to_owned()
    }
}

/// Reads a date such as 2026-11-24.
pub(crate) fn date(text: &str) -> Result<Date, String> {
    let read = text.parse().ok().filter(|_| text.len() == 10);
    read.ok_or_else(|| "it is no date such as 2026-11-24".to_owned())
}

/// A date as calls have it; empty for today.
pub(crate) fn date_text(date: Option<Date>) -> String {
    date.map(|date| date.to_string()).unwrap_or_default()
}

/// Reads a date with a time of day, such as 2026-11-24T11:00.
pub(crate) fn start(text: &str) -> Result<DateTime, String> {
    let read = text.parse().ok().filter(|_| text.len() == 16 && text.contains('T'));
    read.ok_or_else(|| "it is no time such as 2026-11-24T11:00".to_owned())
}

/// Reads a time of day such as 14:00; 24:00 is its end.
pub(crate) fn clock(text: &str) -> Result<String, String> {
    let formed = text.len() == 5 && text.as_bytes().get(2) == Some(&b':');
    if formed && (text == "24:00" || Time::strptime("%H:%M", text).is_ok()) {
        return Ok(text.to_owned());
    }
    Err("it is no time such as 14:00".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Zone {
        /// The zone of a practice in Kolkata.
        pub(crate) fn of_kolkata() -> Self {
            let zone = TimeZone::get("Asia/Kolkata").unwrap();
            let (label, practice) = ("IST".to_owned(), "Sukoon".to_owned());
            Self { zone, label, practice, has_several_practitioners: false }
        }
    }

    fn zone() -> Zone {
        Zone::of_kolkata()
    }

    #[test]
    fn instants_are_shown_in_the_practice_s_zone() {
        let session =
            json!({ "startsAt": "2026-11-24T05:30:00Z", "endsAt": "2026-11-24T06:15:00Z" });
        assert_eq!(zone().span(&session), "11:00-11:45");
        assert_eq!(zone().moment(&session["startsAt"]), "2026-11-24 11:00");
        let late = json!({ "startsAt": "2026-11-24T17:30:00Z", "endsAt": "2026-11-24T18:30:00Z" });
        assert_eq!(zone().span(&late), "23:00-24:00");
        assert_eq!(zone().day(&late["endsAt"]), "2026-11-25");
        assert_eq!(zone().moment(&Value::Null), "");
    }

    #[test]
    fn dates_and_times_are_checked_before_a_call() {
        assert_eq!(date("2026-11-24").map(|date| date_text(Some(date))), Ok("2026-11-24".into()));
        for wrong in ["", "tomorrow", "2026-11-31", "24.11.2026", "2026-11-24T00:00"] {
            assert!(date(wrong).is_err(), "{wrong}");
        }
        assert!(start("2026-11-24T11:00").is_ok() && start("2026-11-24").is_err());
        for (text, fine) in [("14:00", true), ("24:00", true), ("9:00", false), ("25:00", false)] {
            assert_eq!(clock(text).is_ok(), fine, "{text}");
        }
    }
}
