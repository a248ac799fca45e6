//! A code to choose a new password.
