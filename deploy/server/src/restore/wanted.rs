//! What is to be restored: read from the words of the command, and compared with what can come back
//! before anything stops.
use crate::backrest;
use crate::layout::Layout;
use crate::moments::{self, Typed};
use anyhow::{Context, Result, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RestoreOptions {
    /// The moment; without one, everything that was archived.
    to: Option<Typed>,
    /// Whether the question is answered.
    pub(super) is_confirmed: bool,
    /// Whether rights that had ended come back, too, because a mistake had ended them.
    pub(super) with_ended_rights: bool,
}

impl RestoreOptions {
    /// Reads the words after `restore`.
    pub(crate) fn read(words: &[&str]) -> Result<Self> {
        let mut wanted = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--yes" => wanted.is_confirmed = true,
                "--with-ended-rights" => wanted.with_ended_rights = true,
                "--to" => {
                    let time = words.next().context("--to needs a time")?;
                    wanted.to = Some(Typed::read(time)?);
                }
                other => bail!("`sukoon restore` does not know {other}"),
            }
        }
        Ok(wanted)
    }

    /// Finds what is meant, if it can come back.
    ///
    /// # Errors
    /// The moment has not come yet, or no backup reaches back to it. Nothing was changed.
    pub(super) fn target(&self, layout: &Layout) -> Result<Target> {
        let oldest = backrest::oldest_end(layout).context("the backups cannot be read")?;
        let oldest = oldest.context("there is no backup to restore")?;
        let oldest = Timestamp::from_second(oldest).context("a backup ended at no time")?;
        let now = moments::now();
        Target::find(self.to, &Reach { oldest, now, zone: moments::zone(layout) })
    }
}

/// What can come back.
struct Reach {
    oldest: Timestamp,
    now: Timestamp,
    /// The practice's clock, by which moments are told.
    zone: TimeZone,
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The moment; without one, everything that was archived.
    moment: Option<Timestamp>,
    /// The same in words, after "the practice comes back".
    pub(super) says: String,
}

impl Target {
    fn find(to: Option<Typed>, reach: &Reach) -> Result<Self> {
        let Some(to) = to else {
            let says = "as it was last archived".to_owned();
            return Ok(Self { moment: None, says });
        };
        let Reach { oldest, now, zone } = reach;
        let moment = to.at(zone)?;
        let shown = moments::shown(moment, zone);
        let ago = now.as_second().saturating_sub(moment.as_second());
        if moment > *now {
            bail!(
                "{shown} has not come yet: it is {} here, {} earlier.{} Nothing was changed",
                moments::shown(*now, zone),
                moments::length(ago.saturating_neg()),
                meant_here(to, reach).unwrap_or_default()
            );
        }
        if moment.as_second() <= oldest.as_second() {
            bail!(
                "{shown} is before the end of the oldest backup, {}; the practice can come back \
                 as it was after that. Nothing was changed",
                moments::shown(*oldest, zone)
            );
        }
        let says = format!("as it was at {shown}, {} ago", moments::length(ago));
        Ok(Self { moment: Some(moment), says })
    }

    /// Whether it is a moment, and not everything.
    pub(super) fn is_moment(&self) -> bool {
        self.moment.is_some()
    }

    /// The moment as PostgreSQL reads it.
    pub(super) fn for_postgres(&self) -> Option<String> {
        self.moment.map(|to| to.strftime("%Y-%m-%d %H:%M:%S%.f+00").to_string())
    }
}

/// A hint to one who wrote the practice's time with a Z.
fn meant_here(to: Typed, reach: &Reach) -> Option<String> {
    let Typed::Everywhere(moment) = to else { return None };
    let time = moment.to_zoned(TimeZone::UTC).datetime();
    let here = Typed::Here(time).at(&reach.zone).ok().filter(|here| *here <= reach.now)?;
    Some(format!(
        " A time with Z is UTC. If {} was meant, write --to {time}.",
        moments::shown(here, &reach.zone)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach() -> Reach {
        let zone = TimeZone::get("Asia/Kolkata").unwrap();
        let at = |text: &str| text.parse().unwrap();
        Reach { oldest: at("2026-11-01T20:00:00Z"), now: at("2026-11-24T13:05:00Z"), zone }
    }

    fn target(to: &str) -> Result<Target> {
        let wanted = RestoreOptions::read(&["--to", to, "--yes"]).unwrap();
        assert!(wanted.is_confirmed);
        Target::find(wanted.to, &reach())
    }

    #[test]
    fn a_moment_is_read_told_and_written_as_postgresql_reads_it() {
        let found = target("2026-11-24T18:30:00.25+05:30").unwrap();
        assert_eq!(found.for_postgres().as_deref(), Some("2026-11-24 13:00:00.25+00"));
        let says = "as it was at Tue 24 Nov 2026, 18:30:00 (Asia/Kolkata), 5 min ago";
        assert_eq!(found.says, says);
        assert_eq!(Target::find(None, &reach()).unwrap().for_postgres(), None);
        for bad in [&["--to"][..], &["--to", "yesterday"], &["--force"]] {
            assert!(RestoreOptions::read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_has_not_come_or_is_before_all_backups_is_refused() {
        let ahead = target("2026-11-24T18:30:00Z").unwrap_err().to_string();
        assert!(ahead.contains("has not come yet") && ahead.contains("5 h 25 min"), "{ahead}");
        assert!(ahead.contains("write --to 2026-11-24T18:30:00."), "{ahead}");
        assert!(target("2026-11-24T18:30:00").is_ok(), "it is India's clock");
        let early = target("2020-01-01T00:00:00Z").unwrap_err().to_string();
        assert!(early.contains("Mon 02 Nov 2026, 01:30:00 (Asia/Kolkata)"), "{early}");
        assert!(early.ends_with("Nothing was changed"), "{early}");
        // A time by the practice's clock that is ahead has no such hint.
        let ahead = target("2026-11-25T18:30:00").unwrap_err().to_string();
        assert!(!ahead.contains("UTC"), "{ahead}");
    }
}
