//! Queries of the members of the practice.

use std::collections::HashMap;

use eventstore::StoreError;
use kernel::id::{Customer, Practice, StaffInvitation};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};
use staff::Role;

/// The most members of a list.
const MEMBERS_MAX: i64 = 500;
/// The most changes of a list.
const CHANGES_MAX: i64 = 200;

/// A member of the practice. The address is personal data, so it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Member {
    /// The practice.
    pub practice_id: Id<Practice>,
    /// The account.
    pub person: Id<Customer>,
    /// What it may do.
    pub role: Role,
    /// The practitioner whose calendar and clients are its own.
    pub practitioner_id: Option<String>,
    /// Since when.
    pub since_at: Timestamp,
    /// From when on its staff calls need a second factor.
    pub second_factor_by: Timestamp,
    /// The account's proved address.
    pub email: Option<String>,
}

impl std::fmt::Debug for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Member").field("person", &self.person).finish_non_exhaustive()
    }
}

macro_rules! member_sql {
    ($rest:literal) => {
        concat!(
            "select m.practice_id, m.user_id, m.role, m.practitioner_id, m.since_at,
                    m.second_factor_by, a.email
             from staff_members m left join staff_addresses a using (user_id) where m.active ",
            $rest
        )
    };
}

/// `None` for a role that this version does not know.
fn read(row: &PgRow) -> Result<Option<Member>, StoreError> {
    let Some(role) = Role::from_word(row.try_get("role")?) else { return Ok(None) };
    Ok(Some(Member {
        practice_id: row.try_get("practice_id")?,
        person: row.try_get("user_id")?,
        role,
        practitioner_id: row.try_get("practitioner_id")?,
        since_at: row.try_get("since_at")?,
        second_factor_by: row.try_get("second_factor_by")?,
        email: row.try_get("email")?,
    }))
}

/// The members, by role and then by the time of joining.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<Member>, StoreError> {
    let rows = sqlx::query(member_sql!("order by m.since_at, m.user_id limit $1"))
        .bind(MEMBERS_MAX)
        .fetch_all(executor)
        .await?;
    let mut members = Vec::with_capacity(rows.len());
    for row in &rows {
        members.extend(read(row)?);
    }
    members.sort_by_key(|member| member.role);
    Ok(members)
}

/// An account's membership; `None` for clients and former members.
pub async fn find(
    executor: impl PgExecutor<'_>,
    person: Id<Customer>,
) -> Result<Option<Member>, StoreError> {
    let row = sqlx::query(member_sql!("and m.user_id = $1"))
        .bind(person)
        .fetch_optional(executor)
        .await?;
    Ok(row.as_ref().map(read).transpose()?.flatten())
}

/// Whether an address, in lower case, is a member's.
pub async fn has_address(executor: impl PgExecutor<'_>, email: &str) -> Result<bool, StoreError> {
    let sql = "select exists (select from staff_addresses a join staff_members m using (user_id)
                              where a.email = $1 and m.active)";
    Ok(sqlx::query_scalar(sql).bind(email).fetch_one(executor).await?)
}

/// The proved addresses of accounts; those that have none are left out.
pub async fn addresses(
    executor: impl PgExecutor<'_>,
    people: &[Id<Customer>],
) -> Result<HashMap<Id<Customer>, String>, StoreError> {
    let people: Vec<_> = people.iter().map(|person| person.uuid()).collect();
    let rows: Vec<(uuid::Uuid, String)> =
        sqlx::query_as("select user_id, email from staff_addresses where user_id = any ($1)")
            .bind(people)
            .fetch_all(executor)
            .await?;
    Ok(rows.into_iter().map(|(person, email)| (Id::from_uuid(person), email)).collect())
}

/// A change of a membership, as it was recorded.
#[derive(Clone, PartialEq, Eq)]
pub struct RecordedChange {
    /// When.
    pub changed_at: Timestamp,
    /// The account's id, or "operator".
    pub actor: String,
    /// The word of its kind.
    pub kind: String,
    /// The member.
    pub person: Option<Id<Customer>>,
    /// The invitation that it is about.
    pub invitation: Option<Id<StaffInvitation>>,
    /// The invitation's address, while it is kept. Personal data.
    pub invited_email: Option<String>,
    /// The role before.
    pub before: Option<Role>,
    /// The role from then on.
    pub after: Option<Role>,
}

/// The newest changes of memberships.
pub async fn changes(executor: impl PgExecutor<'_>) -> Result<Vec<RecordedChange>, StoreError> {
    let rows = sqlx::query(
        "select c.changed_at, c.actor, c.kind, c.user_id, c.invitation_id, i.email, c.role_before,
                c.role_after
         from membership_changes c left join staff_invitations i using (invitation_id)
         order by c.change_id desc limit $1",
    )
    .bind(CHANGES_MAX)
    .fetch_all(executor)
    .await?;
    let mut changes = Vec::with_capacity(rows.len());
    for row in &rows {
        changes.push(RecordedChange {
            changed_at: row.try_get("changed_at")?,
            actor: row.try_get("actor")?,
            kind: row.try_get("kind")?,
            person: row.try_get("user_id")?,
            invitation: row.try_get("invitation_id")?,
            invited_email: row.try_get("email")?,
            before: Role::from_word(row.try_get("role_before")?),
            after: Role::from_word(row.try_get("role_after")?),
        });
    }
    Ok(changes)
}
