//! A code to sign in without a password.
