//! Shortly before a session.
