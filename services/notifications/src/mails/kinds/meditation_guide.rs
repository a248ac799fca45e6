//! The meditation guide.

use serde_json::json;

use crate::mails::declaration::Declaration;
use crate::mails::facts::Facts;
use crate::templates::render::samples::{Form, Typed};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    load: |sources, mail| Box::pin(sources.guide(mail)),
    samples,
    ..Declaration::TO_VISITOR
};

fn samples(_typed: &Typed) -> Vec<Form> {
    let facts = Facts::Guide { email: "asha@example.org".to_owned() };
    vec![("usual", facts, json!({}))]
}
