//! A refund failed for good.

use crate::mails::declaration::Declaration;
use crate::mails::payload::{BY_BANK, OWED};
use crate::mails::planning;
use crate::templates::render::samples::{Form, Typed, online, refunds};

/// The declaration.
pub(super) const MAIL: Declaration =
    Declaration { plan: planning::refund_failed, samples, ..Declaration::TO_CLIENT };

fn samples(typed: &Typed) -> Vec<Form> {
    [OWED, BY_BANK].map(|word| refunds::failed(word, online(typed, ""))).into()
}
