//! A visitor's message, to the practice.
