//! The practice's notice of a session that has no room a day before it starts.

use serde_json::json;

use crate::mails::declaration::Declaration;
use crate::templates::render::samples::{Form, Typed, online, package};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration { samples, ..Declaration::TO_PRACTICE };

fn samples(typed: &Typed) -> Vec<Form> {
    vec![("single", online(typed, ""), json!({})), ("package", package(typed, Some(2)), json!({}))]
}
