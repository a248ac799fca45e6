//! Listens to the errors and to the security log of everything that runs in a test's own thread,
//! and counts the statements that it sends to the database.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::set_global_default;
use tracing::{Event, Level, Metadata, Subscriber};

/// The errors that were logged since it began to listen, and in other threads none.
#[derive(Debug)]
pub struct Alarms(());

thread_local! {
    /// What was logged in a test's own thread while it listens.
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
    /// The lines of the security log in the same time, each as `name=value` pairs.
    static SECURITY: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// How many statements it has sent, since the first time that it listened.
    static SENT: Cell<usize> = const { Cell::new(0) };
}

/// Where services log what concerns accounts.
const SECURITY_TARGET: &str = "security";
/// Where the driver logs each statement.
const STATEMENTS: &str = "sqlx::query";

/// Sets the listener of the whole program.
fn install() {
    static INSTALLED: Once = Once::new();
    // No other part of this program installs one.
    INSTALLED.call_once(|| drop(set_global_default(Listener)));
}

/// How many statements the test's own thread has sent to the database; at first none.
#[must_use]
pub fn sent_statements() -> usize {
    install();
    SENT.get()
}

impl Alarms {
    /// Listens until it is dropped. A test's runtime has one thread, which runs the service too.
    /// The listener belongs to the whole program: one per test would miss lines while another
    /// test's is removed.
    #[must_use]
    pub fn listen() -> Self {
        install();
        HEARD.set(Some(Vec::new()));
        SECURITY.take();
        Self(())
    }

    /// How many errors have these words.
    #[must_use]
    pub fn count(&self, words: &str) -> usize {
        let Self(()) = self;
        HEARD.with_borrow(|heard| {
            heard.iter().flatten().filter(|message| message.contains(words)).count()
        })
    }
}

impl Alarms {
    /// The lines of the security log so far, each as `name=value` pairs, and forgets them.
    #[must_use]
    pub fn security_lines(&self) -> Vec<String> {
        let Self(()) = self;
        SECURITY.take()
    }
}

struct Pairs(Vec<String>);

impl Visit for Pairs {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push(format!("{}={value}", field.name()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push(format!("{}={value:?}", field.name()));
    }
}

impl Drop for Alarms {
    fn drop(&mut self) {
        HEARD.set(None);
    }
}

struct Listener;

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
            || [STATEMENTS, SECURITY_TARGET].contains(&metadata.target())
    }

    fn new_span(&self, _span: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if event.metadata().target() == STATEMENTS {
            SENT.set(SENT.get() + 1);
            return;
        }
        if event.metadata().target() == SECURITY_TARGET {
            let mut pairs = Pairs(Vec::new());
            event.record(&mut pairs);
            SECURITY.with_borrow_mut(|lines| lines.push(pairs.0.join(" ")));
            return;
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        HEARD.with_borrow_mut(|heard| {
            if let Some(heard) = heard {
                heard.push(message.0);
            }
        });
    }

    fn enter(&self, _span: &Id) {}

    fn exit(&self, _span: &Id) {}
}
