//! The practice's notice of a dispute.
