//! The practice's sessions of a day.
