//! The booking was cancelled.
