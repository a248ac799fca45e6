//! What a mail says of a move.

use kernel::Timestamp;
use serde_json::{Value, json};

use super::{Incomplete, TemplateContext};
use crate::mails::payload::{MOVED_BY, MOVED_FROM};

impl TemplateContext {
    /// The move in the payload, if there is one.
    pub(super) fn moved(&self, payload: &Value) -> Result<Option<Value>, Incomplete> {
        let word = |name: &str| payload.get(name).and_then(Value::as_str);
        let Some(by) = word(MOVED_BY) else { return Ok(None) };
        let from: Option<Timestamp> = word(MOVED_FROM).and_then(|at| at.parse().ok());
        let from = from.ok_or(Incomplete("move"))?;
        Ok(Some(json!({ "by": by, "previous_starts_at_text": self.day_and_time(from) })))
    }
}
