//! Dates and times in the practice's time zone.
use super::arguments::Usage;
use super::labels::{list, text};
use super::session::Session;
use super::table::Table;
use anyhow::{Context, Result};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::{Value, json};

/// The practice's time zone, from its catalogue.
pub(super) struct Zone {
    zone: TimeZone,
    /// The zone's short name, for example "IST".
    pub(super) label: String,
    /// The practice's name.
    pub(super) practice: String,
    /// Whether it has more than one practitioner.
    has_several_practitioners: bool,
}

impl Zone {
    /// Requests the zone from the catalogue.
    pub(super) async fn of(session: &Session) -> Result<Self> {
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
    pub(super) fn table(&self, headings: &'static [&'static str]) -> Table {
        let table = Table::new(headings);
        if self.has_several_practitioners { table } else { table.without("WITH") }
    }

    fn local(&self, instant: &Value) -> Option<Zoned> {
        let instant: Timestamp = instant.as_str()?.parse().ok()?;
        Some(instant.to_zoned(self.zone.clone()))
    }

    /// The instant of a local time such as "2026-11-24T11:00".
    pub(super) fn instant(&self, text: &str) -> Result<String> {
        let local: DateTime = text.parse().context("this is no time such as 2026-11-24T11:00")?;
        let zoned = local.to_zoned(self.zone.clone()).context("there is no such local time")?;
        Ok(zoned.timestamp().to_string())
    }

    /// A date such as "2026-11-24", or an empty text.
    pub(super) fn day(&self, instant: &Value) -> String {
        self.local(instant).map(|local| local.date().to_string()).unwrap_or_default()
    }

    /// A time such as "11:00", or an empty text.
    pub(super) fn time(&self, instant: &Value) -> String {
        self.local(instant).map(|local| local.strftime("%H:%M").to_string()).unwrap_or_default()
    }

    /// A period such as "11:00-11:45". A session that ends at midnight ends at 24:00.
    pub(super) fn span(&self, session: &Value) -> String {
        let from = self.time(&session["startsAt"]);
        let to = self.time(&session["endsAt"]);
        let to = if to == "00:00" { "24:00" } else { &to };
        format!("{from}-{to}")
    }

    /// A date and a time such as "2026-11-24 11:00", or an empty text.
    pub(super) fn moment(&self, instant: &Value) -> String {
        format!("{} {}", self.day(instant), self.time(instant)).trim().to_owned()
    }
}

/// Checks that a text is a date such as 2026-11-24. An empty text means today.
pub(super) fn check_date(text: &str) -> Result<(), Usage> {
    if text.is_empty() || (text.len() == 10 && text.parse::<Date>().is_ok()) {
        return Ok(());
    }
    Err(Usage(format!("{text} is no date such as 2026-11-24")))
}

/// Checks that a text is a date with a time of day, such as 2026-11-24T11:00.
pub(super) fn check_start(text: &str) -> Result<(), Usage> {
    if text.len() == 16 && text.contains('T') && text.parse::<DateTime>().is_ok() {
        return Ok(());
    }
    Err(Usage(format!("{text} is no time such as 2026-11-24T11:00")))
}

/// Checks that two texts are times such as 14:00 and 16:30, the earlier first. 24:00 is the end of
/// the day.
pub(super) fn check_times(from: &str, to: &str) -> Result<(), Usage> {
    let known = |text: &str| {
        let formed = text.len() == 5 && text.as_bytes().get(2) == Some(&b':');
        formed && Time::strptime("%H:%M", text).is_ok()
    };
    if known(from) && (known(to) || to == "24:00") && from < to {
        return Ok(());
    }
    Err(Usage(format!("{from} {to} are no times such as 14:00 16:30, the earlier first")))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Zone {
        /// The zone of a practice in Kolkata.
        pub(in crate::staff) fn of_kolkata() -> Self {
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
        assert!(check_date("").is_ok() && check_date("2026-11-24").is_ok());
        for wrong in ["tomorrow", "2026-11-31", "24.11.2026", "2026-11-24T00:00"] {
            assert!(check_date(wrong).is_err(), "{wrong}");
        }
        assert!(check_times("14:00", "16:30").is_ok() && check_times("00:00", "24:00").is_ok());
        for (from, to) in [("16:30", "14:00"), ("14:00", "14:00"), ("9:00", "10:00"), ("x", "y")] {
            assert!(check_times(from, to).is_err(), "{from} {to}");
        }
    }
}
