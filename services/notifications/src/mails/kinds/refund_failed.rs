//! A refund failed for good.
