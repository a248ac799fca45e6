//! A refund failed for good.

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::payload::{BY_BANK, OWED};
use crate::mails::planning::{self, OVERTAKEN};
use crate::templates::render::samples::{Form, Typed, online, refunds};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::Booking,
    plan: planning::refund_failed,
    // Money that is no longer owed needs no mail.
    believes: |reason| reason == OVERTAKEN,
    samples,
    ..Declaration::TO_CLIENT
};

fn samples(typed: &Typed) -> Vec<Form> {
    [OWED, BY_BANK].map(|word| refunds::failed(word, online(typed, ""))).into()
}
