//! The practice's notice of a cancelled booking.
