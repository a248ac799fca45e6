//! Staff roles by account.

use kernel::Id;
use kernel::id::Customer;
use sqlx::PgExecutor;
use staff::Role;

/// The current role of an account; `None` for customers and former staff members.
pub async fn role_of(
    executor: impl PgExecutor<'_>,
    person: Id<Customer>,
) -> Result<Option<Role>, sqlx::Error> {
    Ok(membership_of(executor, person).await?.map(|(role, _is_due)| role))
}

/// The same, and whether the time in which the account needs no second factor is over.
pub async fn membership_of(
    executor: impl PgExecutor<'_>,
    person: Id<Customer>,
) -> Result<Option<(Role, bool)>, sqlx::Error> {
    let row: Option<(String, bool)> = sqlx::query_as(
        "select role, second_factor_by <= clock_timestamp() from staff_members
         where user_id = $1 and active",
    )
    .bind(person.uuid())
    .fetch_optional(executor)
    .await?;
    Ok(row.and_then(|(word, is_due)| Some((Role::from_word(&word)?, is_due))))
}
