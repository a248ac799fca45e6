//! The events of the scheduling provider. A restart forgets them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;

/// A scheduled event with its invitee.
#[derive(Clone)]
pub(crate) struct Event {
    pub(crate) starts_at: Timestamp,
    pub(crate) canceled: Option<String>,
    pub(crate) event_type: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) timezone: String,
    pub(crate) tracking: Value,
}

/// The provider's events by their ids.
#[derive(Default)]
pub(crate) struct Scheduling(Mutex<BTreeMap<String, Event>>);

impl Scheduling {
    pub(crate) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
