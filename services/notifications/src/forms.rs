//! Submissions of the contact form and requests for the meditation guide: rows that are stored
//! until their mails are over and their retention has passed.
//!
//! A submission is one transaction: its row, the rows of its mails and the timer of its erasure. So
//! whatever was confirmed to the visitor is sent, and later erased, even after a crash.

use std::num::NonZeroU32;

use eventstore::Store;

use crate::mails::addresses::Addresses;

pub mod validation;
pub mod contact;
pub mod guide;
pub mod unsubscribe;

/// The dependencies of the forms.
#[derive(Debug, Clone)]
pub struct Forms {
    /// The database.
    pub store: Store,
    /// Hashes addresses.
    pub addresses: Addresses,
    /// The most messages to the practice in an hour, over all addresses.
    pub contact_limit: NonZeroU32,
}

/// The actor of a submission, which says nothing about the person.
const VISITOR: &str = "visitor";

/// Whether the invisible field (honeypot) is filled in: a bot did it, and the answer doesn't tell
/// it apart.
fn fills_honeypot(website: &str) -> bool {
    if website.is_empty() {
        return false;
    }
    tracing::info!("a form came with its trap filled in and went nowhere");
    true
}
