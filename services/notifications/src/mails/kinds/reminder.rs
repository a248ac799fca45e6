//! A day before a session.
