//! The settings of places for sessions online, beside `[meetings]` of `practice.toml`.

use runtime::Reader;

use crate::clients::meetings::{MeetingSecrets, ZoomSettings};

/// Where Zoom answers, unless the settings say otherwise.
const ZOOM_URL: &str = "https://api.zoom.us/v2";
const ZOOM_TOKEN_URL: &str = "https://zoom.us/oauth/token";

/// Reads them. Which of them are needed depends on the practice's file.
pub(super) fn read(reader: &mut Reader<'_>) -> MeetingSecrets {
    let own = reader.optional_url("BOOKING_MEETING_URL");
    MeetingSecrets {
        own: own.map(|url| (url, reader.secret("BOOKING_MEETING_TOKEN"))),
        jitsi: reader.optional_secret("BOOKING_MEETING_JITSI_SECRET"),
        zoom: zoom(reader),
    }
}

fn zoom(reader: &mut Reader<'_>) -> Option<ZoomSettings> {
    let account = reader.optional("BOOKING_MEETING_ZOOM_ACCOUNT")?;
    let url = reader.optional_url("BOOKING_MEETING_ZOOM_URL");
    let token_url = reader.optional_url("BOOKING_MEETING_ZOOM_TOKEN_URL");
    Some(ZoomSettings {
        account,
        url: url.unwrap_or_else(|| ZOOM_URL.to_owned()),
        token_url: token_url.unwrap_or_else(|| ZOOM_TOKEN_URL.to_owned()),
        client: reader.required("BOOKING_MEETING_ZOOM_CLIENT"),
        secret: reader.secret("BOOKING_MEETING_ZOOM_SECRET"),
    })
}
