//! Grants and revokes staff roles, by the operator with the owner's rights.

use kernel::Id;
use kernel::id::{Customer, StaffInvitation};
use practice::LEAD_ID;
use sqlx::{Connection as _, PgConnection, Postgres, Transaction};
use staff::Role;

use super::invitations::WITHDRAW_OF;
use super::members::{ChangeKind, INSERT_CHANGE, ORGANISATION_LOCK};
use crate::domain::organisation::RoleChange;

/// Gives an account a role; `None` revokes it. The row of a former staff member stays, so that the
/// audit log remains readable. The operator may also end the last owner's role.
pub async fn grant_role(
    owner_url: &str,
    person: Id<Customer>,
    role: Option<Role>,
) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(owner_url).await?;
    let mut transaction = connection.begin().await?;
    sqlx::query("select take_locks($1)")
        .bind([ORGANISATION_LOCK])
        .execute(&mut *transaction)
        .await?;
    let word: Option<String> =
        sqlx::query_scalar("select role from staff_members where user_id = $1 and active")
            .bind(person)
            .fetch_optional(&mut *transaction)
            .await?;
    let before = word.as_deref().and_then(Role::from_word);
    if before == Some(Role::Practitioner) && matches!(role, None | Some(Role::FrontDesk)) {
        end_calendar(&mut transaction, person).await?;
    }
    write(&mut transaction, person, role).await?;
    record(&mut transaction, person, (before, role)).await?;
    if let Some(before) = before {
        let change =
            RoleChange { actor: Role::Owner, is_own: false, before, after: role, owners: 0 };
        withdraw(&mut transaction, person, &change).await?;
    }
    transaction.commit().await?;
    connection.close().await
}

/// Takes away the secret address of the calendar that a practitioner knew, as a removal by a member
/// does. Who is linked to none knew that of the practice's only one, if any.
async fn end_calendar(
    transaction: &mut Transaction<'_, Postgres>,
    person: Id<Customer>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from calendar_feeds
         where practitioner_id = (select coalesce(practitioner_id, $2) from staff_members
                                  where user_id = $1)",
    )
    .bind(person)
    .bind(LEAD_ID)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

async fn write(
    transaction: &mut Transaction<'_, Postgres>,
    person: Id<Customer>,
    role: Option<Role>,
) -> Result<(), sqlx::Error> {
    match role {
        Some(role) => {
            sqlx::query(
                "insert into staff_members (user_id, role) values ($1, $2)
                 on conflict (user_id) do update
                 set role = excluded.role, active = true,
                     second_factor_by = case when staff_members.active
                                             then staff_members.second_factor_by
                                             else clock_timestamp() end",
            )
            .bind(person)
            .bind(role.word())
            .execute(&mut **transaction)
            .await?;
        }
        None => {
            sqlx::query("update staff_members set active = false where user_id = $1")
                .bind(person)
                .execute(&mut **transaction)
                .await?;
            sqlx::query("delete from staff_addresses where user_id = $1")
                .bind(person)
                .execute(&mut **transaction)
                .await?;
        }
    }
    Ok(())
}

async fn record(
    transaction: &mut Transaction<'_, Postgres>,
    person: Id<Customer>,
    (before, after): (Option<Role>, Option<Role>),
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into audit_log (acted_at, actor, role, action, subject, outcome)
         values (clock_now(), 'operator', $1, 'GrantRole', $2, 'done')",
    )
    .bind(after.map(Role::word).unwrap_or_default())
    .bind(person.to_string())
    .execute(&mut **transaction)
    .await?;
    sqlx::query(INSERT_CHANGE)
        .bind("operator")
        .bind(ChangeKind::Granted.word())
        .bind(person)
        .bind(None::<Id<StaffInvitation>>)
        .bind(before.map(Role::word).unwrap_or_default())
        .bind(after.map(Role::word).unwrap_or_default())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// Ends the invitations that a member of the new role could not have sent.
async fn withdraw(
    transaction: &mut Transaction<'_, Postgres>,
    person: Id<Customer>,
    change: &RoleChange,
) -> Result<(), sqlx::Error> {
    let roles: Vec<&str> = change.lost_roles().into_iter().map(Role::word).collect();
    let ended: Vec<Id<StaffInvitation>> = sqlx::query_scalar(WITHDRAW_OF)
        .bind(person)
        .bind(roles)
        .fetch_all(&mut **transaction)
        .await?;
    for invitation in ended {
        sqlx::query(INSERT_CHANGE)
            .bind("operator")
            .bind(ChangeKind::Withdrawn.word())
            .bind(None::<Id<Customer>>)
            .bind(invitation)
            .bind("")
            .bind("")
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}
