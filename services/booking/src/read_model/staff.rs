//! Who works for the practice, by account.

use kernel::Id;
use kernel::id::Customer;
use runtime::staff::Role;
use sqlx::PgExecutor;

/// A person's role, now; `None` for customers and for members who have left.
///
/// # Errors
/// When the database does not answer.
pub async fn role_of(
    executor: impl PgExecutor<'_>,
    person: Id<Customer>,
) -> Result<Option<Role>, sqlx::Error> {
    let word: Option<String> =
        sqlx::query_scalar("select role from staff_members where user_id = $1 and active")
            .bind(person.uuid())
            .fetch_optional(executor)
            .await?;
    Ok(word.as_deref().and_then(Role::from_word))
}
