//! Which zone a name means: IANA's, Windows', Outlook's descriptions, offsets, and lists of cities.

use std::str::FromStr as _;

use calcard::common::timezone::Tz;
use jiff::tz::{Offset, TimeZone};

/// The zone of a name.
pub(super) fn of_name(name: &str) -> Option<TimeZone> {
    let name = name.trim().trim_matches('"').trim();
    TimeZone::get(name)
        .ok()
        .or_else(|| of_path(name))
        .or_else(|| of_region(name))
        .or_else(|| of_offset(name))
        .or_else(|| match described(name) {
            Some((offset, words)) => Some(of_description(offset, (name, words))),
            None => of_table(name).or_else(|| of_words(name)),
        })
}

/// A zone of the library, as it knows names of Windows and others.
pub(super) fn of_library(zone: Tz) -> Option<TimeZone> {
    match zone {
        Tz::Fixed(offset) => {
            Some(TimeZone::fixed(Offset::from_seconds(offset.local_minus_utc()).ok()?))
        }
        Tz::Floating | Tz::Tz(_) => TimeZone::get(&zone.name()?).ok(),
    }
}

fn of_table(name: &str) -> Option<TimeZone> {
    of_library(Tz::from_str(name).ok()?)
}

/// The zone at the end of a path such as "/mozilla.org/20070129_1/Europe/Berlin".
fn of_path(name: &str) -> Option<TimeZone> {
    let mut rest = name;
    while let Some((_, end)) = rest.split_once('/') {
        if let Ok(zone) = TimeZone::get(end) {
            return Some(zone);
        }
        rest = end;
    }
    None
}

/// The zone of an IANA name in another spelling, such as "US-Eastern" or "America/New York".
fn of_region(name: &str) -> Option<TimeZone> {
    let joined = name.replace(' ', "_");
    let divided = joined.replacen(['-', '_'], "/", 1);
    TimeZone::get(&joined).or_else(|_unknown| TimeZone::get(&divided)).ok()
}

/// The zone of an offset such as "GMT-0500", "UTC+5:30", "UTC+5.30" or "+05:30".
fn of_offset(name: &str) -> Option<TimeZone> {
    let head = name
        .get(..3)
        .filter(|head| ["UTC", "GMT"].iter().any(|known| head.eq_ignore_ascii_case(known)));
    let offset = name.get(head.map_or(0, str::len)..)?.trim_start();
    Some(TimeZone::fixed(offset_of(offset)?))
}

/// An offset with its sign, in hours, or in hours and minutes.
fn offset_of(text: &str) -> Option<Offset> {
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = match rest.split_once([':', '.']) {
        Some(parts) => parts,
        None if rest.len() > 2 => rest.split_at_checked(rest.len() - 2)?,
        None => (rest, "0"),
    };
    let number = |text: &str, max: i32| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i32>().ok().filter(|number| digits && *number <= max)
    };
    let minutes = number(hours, 14)? * 60 + number(minutes, 59)?;
    Offset::from_seconds(sign * minutes * 60).ok()
}

/// The offset and the words of "(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi".
fn described(name: &str) -> Option<(Offset, &str)> {
    let rest = name.strip_prefix("(UTC").or_else(|| name.strip_prefix("(GMT"))?;
    let (offset, words) = rest.split_once(')')?;
    Some((offset_of(offset)?, words))
}

/// The zone of the words or of the library's table, where it has the described offset in the winter
/// or the summer of 2026; the table is wrong about some descriptions, and says only the offset of
/// others.
fn of_description(offset: Offset, (name, words): (&str, &str)) -> TimeZone {
    let has_offset = |zone: &TimeZone| offsets(zone).contains(&Some(offset));
    of_words(words)
        .filter(has_offset)
        .or_else(|| of_table(name).filter(has_offset))
        .unwrap_or_else(|| TimeZone::fixed(offset))
}

/// A zone's offsets in the winter and the summer of 2026.
fn offsets(zone: &TimeZone) -> [Option<Offset>; 2] {
    [jiff::civil::date(2026, 1, 1), jiff::civil::date(2026, 7, 1)]
        .map(|day| day.to_zoned(zone.clone()).ok().map(|noon| noon.offset()))
}

/// The zone of words such as "Amsterdam, Belgrade, Berlin, Brussels" or "Eastern Time (US &
/// Canada)": the ends of IANA's names among them, where all of them have the same time.
fn of_words(words: &str) -> Option<TimeZone> {
    let mut found: Option<TimeZone> = None;
    let database = jiff::tz::db();
    let names: Vec<String> = database.available().map(|name| name.to_string()).collect();
    for part in words.split([',', ';', '/', '&', '(', ')']) {
        let part = part.trim();
        let part = part.strip_suffix("Time").unwrap_or(part).trim();
        let part = ["Standard", "Daylight"]
            .iter()
            .find_map(|half| part.strip_suffix(half))
            .unwrap_or(part);
        let end = format!("/{}", part.trim().replace(' ', "_").to_ascii_lowercase());
        let mut zones = names
            .iter()
            .filter(|name| end.len() > 2 && name.to_ascii_lowercase().ends_with(&end))
            .filter_map(|name| TimeZone::get(name).ok());
        let same = |zone: TimeZone| {
            let known = found.get_or_insert_with(|| zone.clone());
            offsets(known) == offsets(&zone)
        };
        if !zones.all(same) {
            return None;
        }
    }
    found
}
