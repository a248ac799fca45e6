//! The hold ended without money.
