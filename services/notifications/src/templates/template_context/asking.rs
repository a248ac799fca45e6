//! The variables of a client's request for a refund.

use contract::convert;
use contract::payments::v1::GetRefundRequestMailResponse;
use serde_json::{Value, json};

use super::sanitize::{multi_line, one_line};
use super::{Incomplete, TemplateContext, day};

impl TemplateContext {
    /// Its number, its clocks and its answer.
    pub(super) fn asking(&self, asked: &GetRefundRequestMailResponse) -> Result<Value, Incomplete> {
        let answer_by = asked.answer_by_at.as_ref().and_then(convert::timestamp);
        let close_by = asked.close_by_at.as_ref().and_then(convert::timestamp);
        let (answer_by, close_by) = answer_by.zip(close_by).ok_or(Incomplete("request"))?;
        let amount = match &asked.amount {
            Some(money) => convert::money(money).ok_or(Incomplete("amount"))?.to_string(),
            None => String::new(),
        };
        Ok(json!({
            "number": one_line(&asked.number),
            "answer_by_text": self.day_and_time(answer_by),
            "close_by_text": day(close_by.in_zone(&self.practice.practice.zone).date()),
            "amount_text": amount,
            "at_desk": asked.at_desk,
            "answer": multi_line(&asked.answer),
        }))
    }
}
