//! Tells whether the caller's next review would get the badge.

use kernel::Id;
use kernel::id::Customer;

use super::App;
use super::proof::{self, Writer};
use crate::error::Error;

/// Answers for the caller only.
pub async fn check_badge(
    app: &App,
    customer: Option<Id<Customer>>,
    invitation: String,
) -> Result<bool, Error> {
    let invitation = Some(invitation).filter(|secret| !secret.is_empty());
    proof::exists(app, &Writer { customer, invitation }).await
}
