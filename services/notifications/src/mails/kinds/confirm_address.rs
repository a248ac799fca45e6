//! A code to confirm an address.
