//! The practice's notice of a new booking.
