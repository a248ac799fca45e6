//! A member of the staff who may do everything.

use anyhow::Result;

use crate::customer::Customer;
use crate::practice::Practice;
use crate::tokens::TokenIssuer;

/// A new staff member with the role of owner.
pub(super) async fn new_owner<'p>(
    practice: &'p Practice,
    issuer: &TokenIssuer,
) -> Result<Customer<'p>> {
    let staff = Customer::with_issued_token(practice, issuer, "Staff")?;
    let mut database = practice.database("booking").await?;
    sqlx::query("insert into staff_members (user_id, role) values ($1, 'owner')")
        .bind(staff.user_id()?)
        .execute(&mut database)
        .await?;
    Ok(staff)
}
