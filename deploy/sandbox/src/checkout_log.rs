//! What pages send to the checkout's frame, and which scripts of the checkout run, so that a test
//! can check what the provider learns. It is kept in memory only, and a restart clears it.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// How many entries of a kind are kept.
const ENTRIES_MAX: usize = 500;

/// The newest entries of each kind.
#[derive(Default)]
pub(crate) struct CheckoutLog {
    openings: Newest,
    beacons: Newest,
}

impl CheckoutLog {
    /// Adds what a page sent when it opened its checkout.
    pub(crate) fn add_opening(&self, opening: Value) {
        self.openings.add(opening);
    }

    /// Adds a call with which a script of the checkout shows that it runs.
    pub(crate) fn add_beacon(&self, beacon: Value) {
        self.beacons.add(beacon);
    }

    /// What pages sent to their checkouts, oldest first.
    pub(crate) fn openings(&self) -> Vec<Value> {
        self.openings.list()
    }

    /// The calls of the checkout's scripts, oldest first.
    pub(crate) fn beacons(&self) -> Vec<Value> {
        self.beacons.list()
    }
}

#[derive(Default)]
struct Newest(Mutex<Vec<Value>>);

impl Newest {
    fn add(&self, one: Value) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() == ENTRIES_MAX {
            list.remove(0);
        }
        list.push(one);
    }

    fn list(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
