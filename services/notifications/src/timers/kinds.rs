//! The kinds of this service's timers, as rows hold them.

/// The timer that sends a mail.
pub const SEND_MAIL: &str = "send_mail";
/// The timer of the practice's daily sheet; there is one.
pub const DAY_SHEET: &str = "day_sheet";
/// The timer that erases a message.
pub const ERASE_MESSAGE: &str = "erase_message";
/// The timer that erases a guide request.
pub const ERASE_GUIDE_REQUEST: &str = "erase_guide_request";
