//! An instant with the precision that PostgreSQL keeps. It is never read from the machine's clock.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// An instant in UTC, in whole microseconds, so that it is the same before and after it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(jiff::Timestamp::UNIX_EPOCH);

    /// An instant, cut to microseconds.
    #[must_use]
    pub fn from_jiff(instant: jiff::Timestamp) -> Self {
        Self::from_micros(instant.as_microsecond()).unwrap_or(Self(instant))
    }

    /// An instant from microseconds since 1970; `None` outside the years -9999 to 9999.
    #[must_use]
    pub fn from_micros(micros: i64) -> Option<Self> {
        jiff::Timestamp::from_microsecond(micros).ok().map(Self)
    }

    /// An instant from seconds since 1970; `None` outside the years -9999 to 9999.
    #[must_use]
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        jiff::Timestamp::from_second(seconds).ok().map(Self)
    }

    /// Microseconds since 1970.
    #[must_use]
    pub fn micros(self) -> i64 {
        self.0.as_microsecond()
    }

    /// Whole seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> i64 {
        self.0.as_second()
    }

    /// The instant for jiff's calendar arithmetic.
    #[must_use]
    pub fn jiff(self) -> jiff::Timestamp {
        self.0
    }

    /// The instant as a wall clock in a zone shows it.
    #[must_use]
    pub fn in_zone(self, zone: &TimeZone) -> jiff::Zoned {
        self.0.to_zoned(zone.clone())
    }

    /// So many minutes later; the end of time if that were past it.
    #[must_use]
    pub fn plus_minutes(self, minutes: i64) -> Self {
        self.plus_seconds(minutes.saturating_mul(60))
    }

    /// So many seconds later (earlier if negative); the end of time if that were past it.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        let moved = self.0.saturating_add(SignedDuration::from_secs(seconds));
        Self(moved.unwrap_or(self.0))
    }

    /// Whole seconds from `earlier` to this instant; negative if that one is later.
    #[must_use]
    pub fn seconds_since(self, earlier: Self) -> i64 {
        self.0.as_second() - earlier.0.as_second()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse().map(Self::from_jiff)
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::Timestamp;
    use sqlx::encode::IsNull;
    use sqlx::error::BoxDynError;
    use sqlx::postgres::types::Oid;
    use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueFormat, PgValueRef};
    use sqlx::{Decode, Encode, Postgres, Type};

    /// `timestamptz` counts microseconds from 2000-01-01, this many after 1970.
    const POSTGRES_EPOCH_MICROS: i64 = 946_684_800_000_000;
    /// The fixed type id of `timestamptz`.
    const TIMESTAMPTZ: Oid = Oid(1184);
    /// That of its arrays.
    const TIMESTAMPTZ_ARRAY: Oid = Oid(1185);

    impl Type<Postgres> for Timestamp {
        fn type_info() -> PgTypeInfo {
            PgTypeInfo::with_oid(TIMESTAMPTZ)
        }
    }
    impl PgHasArrayType for Timestamp {
        fn array_type_info() -> PgTypeInfo {
            PgTypeInfo::with_oid(TIMESTAMPTZ_ARRAY)
        }
    }
    impl Encode<'_, Postgres> for Timestamp {
        fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
            (self.micros() - POSTGRES_EPOCH_MICROS).encode_by_ref(buffer)
        }
    }
    impl Decode<'_, Postgres> for Timestamp {
        fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
            match value.format() {
                PgValueFormat::Binary => {
                    let bytes: [u8; 8] = value.as_bytes()?.try_into()?;
                    let micros = i64::from_be_bytes(bytes).saturating_add(POSTGRES_EPOCH_MICROS);
                    Self::from_micros(micros).ok_or_else(|| "the instant is out of range".into())
                }
                PgValueFormat::Text => Ok(value.as_str()?.replace(' ', "T").parse()?),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn what_is_below_a_microsecond_is_dropped() {
        let instant: Timestamp = "2026-11-24T05:30:00.123456789Z".parse().unwrap();
        assert_eq!(instant.to_string(), "2026-11-24T05:30:00.123456Z");
    }

    #[test]
    fn minutes_are_added() {
        let start: Timestamp = "2026-11-24T05:30:00Z".parse().unwrap();
        assert_eq!(start.plus_minutes(90).to_string(), "2026-11-24T07:00:00Z");
        assert_eq!(start.plus_minutes(1).seconds_since(start), 60);
    }
}
