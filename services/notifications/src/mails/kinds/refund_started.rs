//! A refund has started.

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::Booking,
    samples: samples::refunded,
    ..Declaration::TO_CLIENT
};
