//! What a mail says of a move, and of another time for which the practice asks.

use kernel::Timestamp;
use serde_json::{Value, json};

use super::sanitize::query_encode;
use super::{Incomplete, TemplateContext};
use crate::mails::facts::BookingFacts;
use crate::mails::payload::{HANDED_OVER, MOVED_BY, MOVED_FROM, MOVED_TO};
use crate::mails::proposals::{CHOOSE_UNTIL, STARTS_AT, instant};

impl TemplateContext {
    /// The move in the payload, if there is one.
    pub(super) fn moved(&self, payload: &Value) -> Result<Option<Value>, Incomplete> {
        let word = |name: &str| payload.get(name).and_then(Value::as_str);
        let Some(by) = word(MOVED_BY) else { return Ok(None) };
        let from: Option<Timestamp> = word(MOVED_FROM).and_then(|at| at.parse().ok());
        let from = from.ok_or(Incomplete("move"))?;
        Ok(Some(json!({
            "by": by,
            "previous_starts_at_text": self.day_and_time(from),
            "handed_over": payload.get(HANDED_OVER).and_then(Value::as_bool).unwrap_or(false),
            "same_time": word(MOVED_FROM) == word(MOVED_TO),
        })))
    }

    /// The proposal in the payload, if there is one, with the times to choose from and a link to
    /// each.
    pub(super) fn proposal(
        &self,
        facts: &BookingFacts,
        payload: &Value,
    ) -> Result<Option<Value>, Incomplete> {
        let Some(starts_at) = instant(payload, STARTS_AT) else { return Ok(None) };
        let until = instant(payload, CHOOSE_UNTIL).ok_or(Incomplete("proposal"))?;
        let page = self.booking_page(facts);
        let choice = |at: &Timestamp| {
            json!({
                "starts_at_text": self.day_and_time(*at),
                "link": format!("{page}&choose={}", query_encode(&at.to_string())),
            })
        };
        Ok(Some(json!({
            "starts_at_text": self.day_and_time(starts_at),
            "choose_until_text": self.day_and_time(until),
            "choices": facts.suggested.iter().map(choice).collect::<Vec<_>>(),
        })))
    }
}
