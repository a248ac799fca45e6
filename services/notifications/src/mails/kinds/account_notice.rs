//! What has changed at an account.
