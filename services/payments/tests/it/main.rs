//! Payments on real PostgreSQL and NATS, against the sandbox's provider over HTTP.

mod world;
mod booking;
mod signed;
mod alarms;
mod starting;
mod paying;
mod webhooks;
mod refunds;
mod by_hand;
mod closing;
mod restored;
mod staff;
mod later;
mod lessons;
mod ledger;
mod amounts;
mod disputes;
mod balances;
mod receipts;
mod numbers;
mod papers;
mod returned;
mod unissued;
mod unread;
mod settlements;
mod unexplained;
