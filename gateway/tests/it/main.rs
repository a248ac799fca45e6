//! Integration tests of the gateway: a real server on a loopback port, in front of fake backends on
//! the network with their own protocols.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong in a test, or in what it is made of, fails the test"
)]

mod response_cache;
mod bodies;
mod calendar_feed;
mod calls;
mod payment_pages;
mod connections;
mod staff;
mod errors;
mod every_response;
mod files;
mod floods;
mod metrics;
mod rate_limits;
mod backends;
mod pages;
mod revisions;
mod pictures;
mod processes;
mod http_proxy;
mod raw_http;
mod requests_in_progress;
mod reviews;
mod session_cookie;
mod siege;
mod connection_quota;
mod streams;
mod unsubscribe;
mod harness;
mod dumps;
