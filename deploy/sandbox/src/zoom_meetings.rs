//! What Zoom knows: its token, and the meetings of its users. A restart forgets it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The users of the account.
pub(crate) const USERS: [&str; 3] = ["me", "asha@example.org", "ravi@example.org"];

/// A meeting.
pub(crate) struct Meeting {
    pub(crate) number: i64,
    pub(crate) user: String,
    pub(crate) topic: String,
    pub(crate) kind: u8,
    pub(crate) start_time: Option<String>,
    pub(crate) duration: Option<u32>,
    pub(crate) agenda: String,
    pub(crate) settings: Value,
    pub(crate) join_url: String,
}

impl Meeting {
    /// As the API shows it.
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.number, "host_email": self.user, "topic": self.topic, "type": self.kind,
            "status": "waiting", "start_time": self.start_time, "duration": self.duration,
            "agenda": self.agenda, "join_url": self.join_url,
            "start_url": format!("{}&zak=secret", self.join_url),
            "settings": self.settings,
        })
    }
}

/// What the account has.
#[derive(Default)]
pub(crate) struct Account {
    /// The token that holds, and until when, in seconds.
    pub(crate) token: Option<(String, i64)>,
    /// By their numbers.
    pub(crate) meetings: BTreeMap<String, Meeting>,
    /// How many were made, by user and day.
    pub(crate) made: BTreeMap<(String, i64), u32>,
}

/// The account, for one request at a time.
#[derive(Default)]
pub(crate) struct Zoom(Mutex<Account>);

impl Zoom {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
