//! Whether the caller's next review would carry the badge.

use kernel::Id;
use kernel::id::Customer;

use super::proof::{self, Writer};
use super::{Desk, Error};

/// Tells it of the caller only.
///
/// # Errors
/// When the database does not answer.
pub async fn check_badge(
    desk: &Desk,
    customer: Option<Id<Customer>>,
    invitation: String,
) -> Result<bool, Error> {
    let invitation = Some(invitation).filter(|secret| !secret.is_empty());
    proof::exists(desk, &Writer { customer, invitation }).await
}
