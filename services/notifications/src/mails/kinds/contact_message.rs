//! A visitor's message, to the practice.

use crate::mails::declaration::{Declaration, Replies};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    load: |sources, mail| Box::pin(sources.message(mail)),
    samples: samples::messages,
    ..Declaration::TO_PRACTICE
};
