//! The acknowledgement of a message, to its sender.

use crate::mails::declaration::Declaration;
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    load: |sources, mail| Box::pin(sources.message(mail)),
    // An address is thanked once an hour.
    believes: |reason| reason == "acknowledged" || (Declaration::TO_VISITOR.believes)(reason),
    samples: samples::messages,
    ..Declaration::TO_VISITOR
};
