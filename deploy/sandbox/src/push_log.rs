//! The pushed alarms that were taken.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// What was taken since the start, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pushes(Mutex<Vec<Value>>);

impl Pushes {
    pub(crate) fn take(&self, message: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    pub(crate) fn all(&self) -> Vec<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
