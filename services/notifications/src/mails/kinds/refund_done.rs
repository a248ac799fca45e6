//! A refund is done.
