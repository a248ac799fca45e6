//! The payment provider as a model: orders that never expire, payments that come late, twice, wrong
//! or never, refunds that fail or take days, answers that get lost, and webhooks about it all.
//!
//! It is asked through the port of payments, by the very code that asks the real one.

mod book;
mod disputes;
mod events;
mod port;
mod records;
mod refunds;

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::rng::Rng;

pub(crate) use book::Book;
pub(crate) use records::{Change, Course, Mismatch, PROVIDER, WebhookDelivery};

/// The provider.
#[derive(Debug)]
pub(crate) struct Provider {
    book: Mutex<Book>,
}

impl Provider {
    /// One without customers yet.
    pub(crate) fn new(seed: u64) -> Self {
        let rng = Rng::new(seed ^ 0x5EED_0F7E_11E2_0001);
        Self { book: Mutex::new(Book::new(rng)) }
    }

    /// Its book.
    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on nothing goes wrong any more.
    pub(crate) fn heal(&self) {
        self.book().is_healed = true;
    }
}
