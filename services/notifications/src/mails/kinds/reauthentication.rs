//! A code with which a signed-in user may set a new password.
