//! A refund has started.
