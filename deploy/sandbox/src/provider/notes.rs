//! Notes: at most 15 pairs of 256 characters each, given as an object or as an empty list.

use serde_json::{Map, Value};

use crate::provider::errors::ApiError;

pub(crate) fn read(given: Option<&Value>) -> Result<Map<String, Value>, ApiError> {
    let notes = match given {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Array(list)) if list.is_empty() => return Ok(Map::new()),
        Some(Value::Object(notes)) => notes.clone(),
        Some(_) => return Err(ApiError::bad_field("notes", "notes must be an object")),
    };
    if notes.len() > 15 {
        let description = "Number of fields in notes should be less than or equal to 15";
        return Err(ApiError::bad_field("notes", description));
    }
    for value in notes.values() {
        let fits = match value {
            Value::String(text) => text.chars().count() <= 256,
            Value::Number(_) | Value::Bool(_) | Value::Null => true,
            Value::Array(_) | Value::Object(_) => false,
        };
        if !fits {
            let description = "notes values should be text of at most 256 characters";
            return Err(ApiError::bad_field("notes", description));
        }
    }
    Ok(notes)
}
