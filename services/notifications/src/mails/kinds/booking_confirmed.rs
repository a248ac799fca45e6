//! The customer's confirmation.
