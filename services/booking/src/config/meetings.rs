//! The settings of places for sessions online, beside `[meetings]` of `practice.toml`.

use runtime::Reader;

use crate::clients::meetings::MeetingSecrets;

/// Reads them. Which of them are needed depends on the practice's file.
pub(super) fn read(reader: &mut Reader<'_>) -> MeetingSecrets {
    let own = reader.optional_url("BOOKING_MEETING_URL");
    MeetingSecrets {
        own: own.map(|url| (url, reader.secret("BOOKING_MEETING_TOKEN"))),
        jitsi: reader.optional_secret("BOOKING_MEETING_JITSI_SECRET"),
    }
}
