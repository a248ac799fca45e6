//! A code to prove the address that an account changes to.
