//! The address at which a booking that was made by phone is paid.
