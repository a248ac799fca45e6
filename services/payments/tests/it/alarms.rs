//! Listens to the errors that are logged by everything that runs in a test's own thread.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event, Level, Metadata, Subscriber};

/// The errors that were logged since it began to listen, and in other threads none.
pub(crate) struct Alarms {
    heard: Arc<Mutex<Vec<String>>>,
    _guard: DefaultGuard,
}

impl Alarms {
    /// Listens until it is dropped. A test's runtime has one thread, which runs the service too.
    pub(crate) fn listen() -> Self {
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let guard = set_default(Listener { heard: Arc::clone(&heard) });
        Self { heard, _guard: guard }
    }

    /// How many errors have these words.
    pub(crate) fn count(&self, words: &str) -> usize {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.iter().filter(|message| message.contains(words)).count()
    }
}

struct Listener {
    heard: Arc<Mutex<Vec<String>>>,
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.push(message.0);
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}
