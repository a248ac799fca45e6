//! After a session.
