//! The reviews service on real PostgreSQL and NATS.
