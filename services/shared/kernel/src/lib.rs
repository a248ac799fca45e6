//! The pure types that every part uses: ids, money, time, decisions and refusals.
//!
//! Nothing here does I/O, reads a clock or makes an id; callers pass them in.

pub mod id;
pub mod money;
pub mod time;
pub mod cancellation_policy;
pub mod decider;
pub mod refusal;
pub mod rejections;
pub mod typed;
pub mod words;
pub mod hex;
pub mod idempotency_key;
pub mod payment_provider;

pub use cancellation_policy::{
    CancellationPolicy, CancellationTier, Grace, MoveLimits, PracticeLate, RefundStep,
};
pub use decider::{Decider, fold};
pub use id::Id;
pub use idempotency_key::IdempotencyKey;
pub use money::{Currency, Money, MoneyError};
pub use payment_provider::PaymentProvider;
pub use refusal::{Code, CommandError, Reject, ValueRefused};
pub use time::Timestamp;
