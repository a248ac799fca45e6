//! Payments on real PostgreSQL and NATS, against the sandbox's provider over HTTP.
