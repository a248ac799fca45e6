//! The meeting link that came after the confirmation.
