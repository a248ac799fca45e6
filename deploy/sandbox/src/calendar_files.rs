//! The calendar files that were put there. A restart forgets them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The files by their names.
#[derive(Default)]
pub(crate) struct Calendars(Mutex<BTreeMap<String, String>>);

impl Calendars {
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn put(&self, name: String, file: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, file);
    }
}
