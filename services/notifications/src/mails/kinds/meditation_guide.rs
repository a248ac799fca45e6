//! The meditation guide.
