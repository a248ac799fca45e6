//! The practice's notice of a refund that failed for good.

use crate::mails::declaration::{Declaration, Replies};
use crate::mails::payload::OWED;
use crate::mails::planning::{self, OVERTAKEN};
use crate::templates::render::samples::{Form, Typed, online, refunds};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    replies: Replies::ToPerson,
    plan: planning::refund_failed,
    // Money that is no longer owed needs no mail.
    believes: |reason| reason == OVERTAKEN,
    samples,
    ..Declaration::TO_PRACTICE
};

fn samples(typed: &Typed) -> Vec<Form> {
    vec![refunds::failed(OWED, online(typed, ""))]
}
