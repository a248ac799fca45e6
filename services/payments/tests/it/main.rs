//! Payments on real PostgreSQL and NATS, against the sandbox's provider over HTTP.

mod world;
mod booking;
mod starting;
mod paying;
mod webhooks;
mod refunds;
mod later;
