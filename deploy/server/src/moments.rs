//! Moments as the practice's people read and write them: by its own clock.
use super::layout::Layout;
use anyhow::{Context, Result};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::fs;

/// A moment as it was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// With its distance from UTC: the same everywhere.
    Everywhere(Timestamp),
    /// Without one: by the practice's clock.
    Here(DateTime),
}

impl Typed {
    /// Reads `2026-11-24T18:30:00Z`, `…+05:30`, or `2026-11-24 18:30` by the practice's clock.
    pub(crate) fn read(text: &str) -> Result<Self> {
        if let Ok(moment) = text.parse() {
            return Ok(Self::Everywhere(moment));
        }
        text.parse().map(Self::Here).with_context(|| {
            format!(
                "{text} is no time such as 2026-11-24T18:30 by the practice's clock, or \
                 2026-11-24T13:00:00Z, which is UTC"
            )
        })
    }

    /// The moment that is meant.
    pub(crate) fn at(self, zone: &TimeZone) -> Result<Timestamp> {
        match self {
            Self::Everywhere(moment) => Ok(moment),
            Self::Here(time) => {
                let meant = zone.to_timestamp(time);
                meant.with_context(|| format!("the practice's clock never shows {time}"))
            }
        }
    }
}

/// The zone of the practice's clock; UTC where its files do not say it.
pub(crate) fn zone(layout: &Layout) -> TimeZone {
    let read = || -> Option<TimeZone> {
        let file = layout.configuration().join("practice/practice.toml");
        let practice: toml::Table = fs::read_to_string(file).ok()?.parse().ok()?;
        TimeZone::get(practice.get("practice")?.get("time_zone")?.as_str()?).ok()
    };
    read().unwrap_or(TimeZone::UTC)
}

/// A moment by a clock, for example `Tue 24 Nov 2026, 18:30:00 (Asia/Kolkata)`.
pub(crate) fn shown(moment: Timestamp, zone: &TimeZone) -> String {
    let here = moment.to_zoned(zone.clone());
    let name = zone.iana_name().unwrap_or("UTC");
    format!("{} ({name})", here.strftime("%a %d %b %Y, %H:%M:%S"))
}

/// A length of time in its two largest units, for example `5 h 30 min`.
pub(crate) fn length(seconds: i64) -> String {
    let units = [(86_400, "days"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds.max(0);
    let mut parts = Vec::new();
    for (size, name) in units {
        let count = rest / size;
        rest %= size;
        if count > 0 && parts.len() < 2 {
            parts.push(format!("{count} {name}"));
        }
    }
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

/// The time by this machine.
#[expect(clippy::disallowed_methods, reason = "what an operator does is a matter of this machine")]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_without_a_distance_from_utc_is_by_the_practice_s_clock() {
        let zone = TimeZone::get("Asia/Kolkata").unwrap();
        let meant = |text: &str| Typed::read(text).unwrap().at(&zone).unwrap().to_string();
        assert_eq!(meant("2026-11-24T18:30:00Z"), "2026-11-24T18:30:00Z");
        assert_eq!(meant("2026-11-24T18:30:00+05:30"), "2026-11-24T13:00:00Z");
        assert_eq!(meant("2026-11-24T18:30"), "2026-11-24T13:00:00Z");
        assert_eq!(meant("2026-11-24 18:30:01"), "2026-11-24T13:00:01Z");
        assert!(Typed::read("yesterday").unwrap_err().to_string().contains("UTC"));
    }

    #[test]
    fn moments_and_lengths_are_written_for_people() {
        let zone = TimeZone::get("Asia/Kolkata").unwrap();
        let moment = "2026-11-24T13:00:00Z".parse().unwrap();
        assert_eq!(shown(moment, &zone), "Tue 24 Nov 2026, 18:30:00 (Asia/Kolkata)");
        for (seconds, words) in
            [(19_800, "5 h 30 min"), (61, "1 min 1 s"), (0, "0 s"), (90_061, "1 days 1 h")]
        {
            assert_eq!(length(seconds), words);
        }
    }
}
