//! What payments serves over HTTP: webhooks and the return from a checkout.

mod checkout_return;
mod link_return;
pub mod webhook;
