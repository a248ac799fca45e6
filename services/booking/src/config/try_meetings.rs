//! The command that tries the places for sessions online, for an operator who has just set them.

use std::io::Write as _;
use std::path::PathBuf;

use runtime::status::chain;
use runtime::{Reader, RotatedSecret};

use super::meetings;
use crate::clients::meetings::{MeetingSecrets, Meetings};

/// Settings of `try-meetings`.
#[derive(Debug, Clone)]
pub struct TryMeetingsConfig {
    /// The folder with `practice.toml`; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// What the places need beside it; `BOOKING_MEETING_…`.
    pub meetings: MeetingSecrets,
    /// The key of rooms' names; `BOOKING_FEED_KEY`.
    pub feed_key: RotatedSecret,
}

impl TryMeetingsConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            practice_dir: reader.path("PRACTICE_DIR"),
            meetings: meetings::read(reader),
            feed_key: reader.rotated_secret("BOOKING_FEED_KEY"),
        }
    }
}

/// Makes and removes a meeting at each place of the practice, and prints a sentence for each.
///
/// # Errors
/// A place cannot be used.
pub async fn try_meetings(config: TryMeetingsConfig) -> anyhow::Result<()> {
    let told = try_places(&config).await;
    if let Err(error) = &told {
        // The log is for programs; this is for the operator.
        writeln!(std::io::stderr(), "{error:#}")?;
    }
    told
}

async fn try_places(config: &TryMeetingsConfig) -> anyhow::Result<()> {
    let practice = practice::load(&config.practice_dir)?;
    let meetings = Meetings::new(&practice, &config.meetings, config.feed_key.current())?;
    let (mut tried, mut failed) = (Vec::new(), Vec::new());
    for practitioner in practice.all_practitioners() {
        let place = practice.meeting_place(&practitioner.id);
        if tried.contains(&place) {
            continue;
        }
        tried.push(place);
        match meetings.try_place(&practitioner.id).await {
            Ok(found) => writeln!(std::io::stdout(), "{}: {found}", practitioner.name)?,
            Err(error) => failed.push(format!("{}: {}", practitioner.name, chain(&error))),
        }
    }
    anyhow::ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}
