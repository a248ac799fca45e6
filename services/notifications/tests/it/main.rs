//! Mails from the event to the inbox: real PostgreSQL, a real SMTP exchange, and fakes of the other
//! services that serve the real contract over the network.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod fake_services;
mod environment;
mod world;
mod visitor;
mod confirming;
mod refusing;
mod claims;
mod other_mails;
mod cancelling;
mod packages;
mod moves;
mod payment_pages;
mod staff_invitations;
mod refunds;
mod refund_requests;
mod staff;
mod staff_mails;
mod rates;
mod outages;
mod proposals;
mod waiting_offers;
mod mail_server_tls;
mod reminders;
mod follow_ups;
mod free_sessions;
mod gauges;
mod day_sheets;
mod review_notices;
mod receipts;
mod contact;
mod guides;
mod unsubscribe;
mod upgrade;
mod dumps;
