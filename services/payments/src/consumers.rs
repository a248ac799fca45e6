//! What this service does because something happened elsewhere.

pub mod booking;
