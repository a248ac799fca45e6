//! A code to accept an account that an administrator made.
