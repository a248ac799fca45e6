//! The practice's notice of a refund that failed for good.
