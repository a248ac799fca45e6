//! The receipt for a payment.
