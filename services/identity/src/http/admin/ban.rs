//! How long an account is banned, in the contract's notation: `24h`, `1h30m`, `none`.

use std::borrow::Cow;

use kernel::Timestamp;

use crate::http::error::ApiError;
use crate::http::request::quotable;

/// Nanoseconds of the units.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
const INVALID: &str = "invalid duration";
const NANOSECONDS: i128 = 1_000_000_000;

/// A change of an account's ban.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ban {
    /// There is none from now on.
    Lifted,
    /// It ends after these seconds.
    For(i64),
}

impl Ban {
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        if text == "none" {
            return Ok(Self::Lifted);
        }
        match seconds(text) {
            Ok(0) => Ok(Self::Lifted),
            Ok(seconds) => Ok(Self::For(seconds)),
            Err(problem) => {
                let shown: String =
                    text.chars().filter(|c| !c.is_control() && *c != '"').take(40).collect();
                let message = format!("invalid format for ban duration: time: {problem}");
                Err(ApiError::invalid(format!("{message} \"{shown}\"")))
            }
        }
    }

    /// Until when, from now on.
    pub(crate) fn until(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Lifted => None,
            Self::For(seconds) => Some(now.plus_seconds(seconds)),
        }
    }
}

/// The seconds of a duration, rounded up; a part of a second bans, too.
fn seconds(text: &str) -> Result<i64, Cow<'static, str>> {
    let (sign, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (-1, text.get(1..).unwrap_or_default()),
        Some(b'+') => (1, text.get(1..).unwrap_or_default()),
        _ => (1, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(INVALID.into());
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        if number.is_empty() {
            return Err(INVALID.into());
        }
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if unit.is_empty() {
            return Err("missing unit in duration".into());
        }
        let nanoseconds = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, size)| *size);
        let size = nanoseconds
            .ok_or_else(|| format!("unknown unit \"{}\" in duration", quotable(unit)))?;
        total = total.saturating_add(scaled(number, size).ok_or(INVALID)?);
        if total > i128::from(i64::MAX) {
            return Err(INVALID.into());
        }
        rest = after;
    }
    let whole = (total + NANOSECONDS - 1) / NANOSECONDS;
    i64::try_from(sign * whole).map_err(|_too_long| INVALID.into())
}

/// A decimal number times the size of its unit.
fn scaled(number: &str, size: i128) -> Option<i128> {
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && part.is_empty()) || part.contains('.') || part.len() > 18 {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut nanoseconds = whole.checked_mul(size)?;
    if !part.is_empty() {
        let divisor = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
        nanoseconds += part.parse::<i128>().ok()?.checked_mul(size)? / divisor;
    }
    Some(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::{Ban, seconds};

    #[test]
    fn durations_are_read_as_the_contract_writes_them() {
        for (text, expected) in [
            ("24h", 86_400),
            ("1h30m", 5_400),
            ("1.5h", 5_400),
            ("300ms", 1),
            (".5m", 30),
            ("0", 0),
            ("-2h", -7_200),
            ("+10s", 10),
        ] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        assert_eq!(Ban::parse("none").unwrap(), Ban::Lifted);
        for (text, problem) in [
            ("", "invalid duration"),
            ("x", "invalid duration"),
            ("1", "missing unit in duration"),
            ("1d", "unknown unit \"d\" in duration"),
            ("h", "invalid duration"),
            ("1.1.1h", "invalid duration"),
            ("9999999999999999999999h", "invalid duration"),
        ] {
            assert_eq!(seconds(text), Err(problem.into()), "{text}");
        }
    }
}
