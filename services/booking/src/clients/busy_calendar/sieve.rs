//! Lets through of a calendar file what closes times to come, while the file arrives. A calendar of
//! some years is mostly its past and long texts: neither is kept, so its size decides nothing.

use std::mem;

use calcard::common::IanaParse as _;
use calcard::icalendar::ICalendarDuration;
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kernel::Timestamp;

use super::moments::Length;

/// The most bytes that are kept of a file.
const KEPT_BYTES_MAX: usize = 16_000_000;
/// The most bytes that are kept of a line.
const LINE_BYTES_MAX: usize = 64_000;
/// Properties of events that say nothing about times, and may be long.
const PASSED_OVER: &[&str] = &["DESCRIPTION", "X-ALT-DESC", "ATTACH", "COMMENT"];
/// Days by which dates of different zones, and ends at midnight, may differ.
const MARGIN_DAYS: i64 = 2;

/// What is left is still too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// Takes a calendar file in pieces and keeps what is not over.
#[derive(Debug)]
pub struct Sieve {
    /// What ends before this day is over; without it nothing is.
    since: Option<Date>,
    /// The line that is arriving.
    line: Vec<u8>,
    /// Whether it is longer than what is kept of it.
    is_cut: bool,
    /// Whether lines that go on with the one before are passed over with it.
    passes_over: bool,
    /// The event that is arriving, and how deep it is nested.
    event: String,
    depth: usize,
    kept: String,
}

impl Sieve {
    /// A sieve that passes over what ended before an instant.
    #[must_use]
    pub fn new(since: Timestamp) -> Self {
        let day = since.jiff().to_zoned(TimeZone::UTC).date();
        Self {
            since: day.checked_sub(MARGIN_DAYS.days()).ok(),
            line: Vec::new(),
            is_cut: false,
            passes_over: false,
            event: String::new(),
            depth: 0,
            kept: String::new(),
        }
    }

    /// Takes the next piece of a file.
    ///
    /// # Errors
    /// When more of it would be kept than may be.
    pub fn take(&mut self, piece: &[u8]) -> Result<(), TooLarge> {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES_MAX.saturating_sub(self.line.len());
            self.is_cut |= part.len() > room;
            self.line.extend_from_slice(part.get(..room).unwrap_or(part));
            if self.is_cut && !self.is_passed_over() {
                return Err(TooLarge);
            }
            if part.ends_with(b"\n") {
                self.end_line()?;
            }
        }
        Ok(())
    }

    /// What was kept.
    ///
    /// # Errors
    /// When it is more than may be.
    pub fn finish(mut self) -> Result<String, TooLarge> {
        self.end_line()?;
        // An event without an end shows that the file is not complete.
        self.kept.push_str(&self.event);
        Ok(self.kept)
    }

    /// Whether the line that is arriving says nothing about times.
    fn is_passed_over(&self) -> bool {
        match self.line.first() {
            Some(b' ' | b'\t') => self.passes_over,
            _ => self.depth > 0 && PASSED_OVER.iter().any(|name| is_property(&self.line, name)),
        }
    }

    fn end_line(&mut self) -> Result<(), TooLarge> {
        self.passes_over = self.is_passed_over();
        self.is_cut = false;
        let line = mem::take(&mut self.line);
        if self.passes_over {
            return Ok(());
        }
        // Only times are read, and those are ASCII in every encoding that programs use.
        let goes_on = matches!(line.first(), Some(b' ' | b'\t'));
        let line = String::from_utf8_lossy(&line);
        // A text that goes on with such a word begins and ends nothing.
        let mark = if goes_on { String::new() } else { line.trim().to_ascii_uppercase() };
        if self.depth == 0 && mark != "BEGIN:VEVENT" {
            self.kept.push_str(&line);
        } else {
            self.event.push_str(&line);
            if mark.starts_with("BEGIN:") {
                self.depth += 1;
            } else if mark.starts_with("END:") {
                self.depth -= 1;
            }
            if self.depth == 0 {
                let event = mem::take(&mut self.event);
                if !self.since.is_some_and(|since| is_over(&event, since)) {
                    self.kept.push_str(&event);
                }
            }
        }
        let bytes = self.kept.len().saturating_add(self.event.len());
        if bytes > KEPT_BYTES_MAX { Err(TooLarge) } else { Ok(()) }
    }
}

/// Whether a line is this property.
fn is_property(line: &[u8], name: &str) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && matches!(line.get(name.len()), Some(b':' | b';'))
}

/// Whether an event, with all times of its series, certainly ended before a day.
fn is_over(event: &str, since: Date) -> bool {
    last_day(event).is_some_and(|last| last < since)
}

/// The last day of an event, as far as it is certain; a day of another zone may differ by one.
fn last_day(event: &str) -> Option<Date> {
    let text = event.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    let (mut start, mut end, mut replaced) = (None, None, None);
    let mut duration = Length::DAY;
    let mut until = None;
    let mut depth = 0_usize;
    for line in text.lines() {
        let name = line.split([':', ';']).next().unwrap_or_default().to_ascii_uppercase();
        let value = line.rsplit(':').next().unwrap_or_default().trim();
        match name.as_str() {
            "BEGIN" => depth += 1,
            "END" => depth = depth.saturating_sub(1),
            // Alarms within the event have times of their own.
            _ if depth != 1 => {}
            "DTSTART" => start = Some(day(value)?),
            "DTEND" => end = Some(day(value)?),
            "DURATION" => duration = Length::of(&ICalendarDuration::parse(value.as_bytes())?)?,
            "RRULE" if until.is_none() => until = Some(last_start(value)?),
            "RECURRENCE-ID" if !line.to_ascii_uppercase().contains("RANGE") => {
                replaced = Some(day(value)?);
            }
            "RRULE" | "RDATE" | "RECURRENCE-ID" => return None,
            _ => {}
        }
    }
    let start = start.or(replaced)?;
    let days = match end {
        Some(end) => i64::from(start.until(end).ok()?.get_days()).max(0),
        None => duration.whole_days(),
    };
    let last = until.map_or(start, |until| until.max(start));
    let last = last.checked_add(days.days()).ok()?;
    Some(last.max(replaced.unwrap_or(last)))
}

/// The day with which a value begins.
fn day(value: &str) -> Option<Date> {
    let digits = value.get(..8).filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i16>().ok();
    let (month, day) = (i8::try_from(part(4, 6)?).ok()?, i8::try_from(part(6, 8)?).ok()?);
    Date::new(part(0, 4)?, month, day).ok()
}

/// The last day of a rule that has an end by itself.
fn last_start(rule: &str) -> Option<Date> {
    let part = |part: &str| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("UNTIL").then(|| day(value.trim())).flatten()
    };
    rule.split(';').find_map(part)
}
