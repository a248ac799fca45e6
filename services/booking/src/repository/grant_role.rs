//! The operator grants or revokes a staff role. It is a CLI command, because it requires the
//! database owner's password.

use kernel::Id;
use kernel::id::Customer;
use sqlx::{Connection as _, PgConnection};
use staff::Role;

/// Gives an account a role; `None` revokes it. The row of a former staff member stays, so that the
/// audit log remains readable.
///
/// # Errors
/// When the database does not answer or denies access.
pub async fn grant_role(
    owner_url: &str,
    person: Id<Customer>,
    role: Option<Role>,
) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(owner_url).await?;
    let mut transaction = connection.begin().await?;
    match role {
        Some(role) => {
            sqlx::query(
                "insert into staff_members (user_id, role) values ($1, $2)
                 on conflict (user_id) do update set role = excluded.role, active = true",
            )
            .bind(person)
            .bind(role.word())
            .execute(&mut *transaction)
            .await?;
        }
        None => {
            sqlx::query("update staff_members set active = false where user_id = $1")
                .bind(person)
                .execute(&mut *transaction)
                .await?;
        }
    }
    sqlx::query(
        "insert into audit_log (acted_at, actor, role, action, subject, outcome)
         values (clock_now(), 'operator', $1, 'GrantRole', $2, 'done')",
    )
    .bind(role.map(Role::word).unwrap_or_default())
    .bind(person.to_string())
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    connection.close().await
}
