//! The practice's notice of a session that has no room a day before it starts.
