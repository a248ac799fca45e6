//! Staff roles by account.

use eventstore::Store;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use sqlx::PgExecutor;
use staff::{Role, Roles};

/// The role lookup of the staff authorizer.
#[derive(Debug, Clone)]
pub struct StaffTable(pub Store);

impl Roles for StaffTable {
    fn role_of(&self, person: Id<Customer>) -> BoxFuture<'_, Result<Option<Role>, BoxError>> {
        async move { Ok(role_of(self.0.pool(), person).await?) }.boxed()
    }
}

/// The current role of an account; `None` for customers and former staff members.
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
