//! Requests to the provider's API: JSON bodies, their fields and amounts, and filters of lists.

use serde::Deserialize;
use serde_json::Value;

use crate::provider::errors::ApiError;

/// The smallest amount of a payment: one rupee.
const AMOUNT_MIN: i64 = 100;

#[derive(Deserialize)]
pub(crate) struct ListFilter {
    pub(crate) receipt: Option<String>,
    from: Option<i64>,
    to: Option<i64>,
    count: Option<usize>,
    skip: Option<usize>,
}

impl ListFilter {
    /// Whether the filter includes this creation time.
    pub(crate) fn takes(&self, created_at: i64) -> bool {
        (self.from.unwrap_or(0)..=self.to.unwrap_or(i64::MAX)).contains(&created_at)
    }

    /// The requested page of a list: ten items by default, and at most `most`.
    ///
    /// # Errors
    /// When the requested count is zero.
    pub(crate) fn page<T>(
        &self,
        list: impl Iterator<Item = T>,
        most: usize,
    ) -> Result<impl Iterator<Item = T>, ApiError> {
        let count = self.count.unwrap_or(10).min(most);
        if count == 0 {
            return Err(ApiError::bad_field("count", "The count must be at least 1."));
        }
        Ok(list.skip(self.skip.unwrap_or(0)).take(count))
    }
}

/// Reads a JSON object. An empty body counts as an empty object.
pub(crate) fn read_json(body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(serde_json::json!({}));
    }
    match serde_json::from_slice(body) {
        Ok(object @ Value::Object(_)) => Ok(object),
        _ => Err(ApiError::bad("The request body is not a JSON object")),
    }
}

/// Refuses an object with a field that is not among the known ones.
pub(crate) fn reject_unknown_fields(given: &Value, known: &[&str]) -> Result<(), ApiError> {
    let mut names = given.as_object().into_iter().flat_map(|fields| fields.keys());
    match names.find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(ApiError::extra_field(name)),
        None => Ok(()),
    }
}

/// Reads an amount in paise. The real API also accepts it as text.
pub(crate) fn read_amount(given: &Value) -> Result<Option<i64>, ApiError> {
    let amount = match given.get("amount") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_i64(),
        Some(Value::String(text)) => text.parse().ok(),
        Some(_) => None,
    };
    let amount =
        amount.ok_or_else(|| ApiError::bad_field("amount", "The amount must be an integer."))?;
    if amount < AMOUNT_MIN {
        return Err(ApiError::bad_field("amount", "The amount must be at least INR 1.00"));
    }
    Ok(Some(amount))
}
