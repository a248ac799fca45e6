//! The hold ended without money.

use crate::mails::declaration::{Declaration, Urgency};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    // Holding a slot doesn't prove that the address belongs to the client.
    urgency: Urgency::Limited { per_hour: 4 },
    ..Declaration::TO_CLIENT
};
