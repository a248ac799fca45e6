//! What each list of sessions says of one: when it is, what, with whom, and who comes.
use crate::dates::Zone;
use crate::labels::{client_name, service_label, text};
use serde_json::Value;

/// The cells of the day, TIME, SESSION, WITH and WHO.
pub(crate) fn session_cells(zone: &Zone, booking: &Value, session: &Value) -> [String; 5] {
    [
        zone.day(&session["startsAt"]),
        zone.span(session),
        service_label(booking),
        text(&booking["practitionerName"]),
        client_name(booking),
    ]
}
