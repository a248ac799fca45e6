//! The figures, each in a file of its own that says what is measured and how.

pub(crate) mod start;
pub(crate) mod rest;
pub(crate) mod transactions;
pub(crate) mod reads;
pub(crate) mod gateway;
pub(crate) mod rush;
pub(crate) mod bookings;
pub(crate) mod latency;
pub(crate) mod sign_ins;
pub(crate) mod tls;
pub(crate) mod consumers;
pub(crate) mod confirmation;
pub(crate) mod long_log;
pub(crate) mod rebuild;
pub(crate) mod alarms;
pub(crate) mod late_start;
pub(crate) mod drain;
pub(crate) mod crowd;
pub(crate) mod memory;
