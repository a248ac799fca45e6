//! Writes members of the practice and what changed of them. Needs the organisation's lock.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::{Customer, StaffInvitation};
use sqlx::{PgExecutor, Row as _};
use staff::Role;

/// The name of the lock under which members and invitations change.
pub const ORGANISATION_LOCK: &str = "organisation";

/// A membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// What the account may do.
    pub role: Role,
    /// The practitioner whose calendar and clients are its own.
    pub practitioner_id: Option<String>,
}

/// Takes the organisation's lock.
pub async fn lock(tx: &mut Tx) -> Result<(), StoreError> {
    tx.lock(&[ORGANISATION_LOCK.to_owned()]).await
}

/// An account's membership; `None` for clients and former members.
pub async fn membership(
    tx: &mut Tx,
    person: Id<Customer>,
) -> Result<Option<Membership>, StoreError> {
    let row = sqlx::query(
        "select role, practitioner_id from staff_members where user_id = $1 and active",
    )
    .bind(person)
    .fetch_optional(tx.connection())
    .await?;
    let Some(row) = row else { return Ok(None) };
    let role = Role::from_word(row.try_get("role")?);
    let practitioner_id = row.try_get("practitioner_id")?;
    Ok(role.map(|role| Membership { role, practitioner_id }))
}

/// Whether an account is or was a member.
pub async fn was_member(tx: &mut Tx, person: Id<Customer>) -> Result<bool, StoreError> {
    let sql = "select exists (select from staff_members where user_id = $1)";
    Ok(sqlx::query_scalar(sql).bind(person).fetch_one(tx.connection()).await?)
}

/// How many owners the practice has.
pub async fn owners(tx: &mut Tx) -> Result<i64, StoreError> {
    let sql = "select count(*) from staff_members where role = 'owner' and active";
    Ok(sqlx::query_scalar(sql).fetch_one(tx.connection()).await?)
}

/// Makes an account a member, or changes its membership.
pub async fn upsert(
    tx: &mut Tx,
    person: Id<Customer>,
    membership: &Membership,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into staff_members (user_id, role, practitioner_id) values ($1, $2, $3)
         on conflict (user_id) do update
         set role = excluded.role, practitioner_id = excluded.practitioner_id, active = true,
             since_at = case when staff_members.active then staff_members.since_at
                             else clock_now() end,
             second_factor_by = case when staff_members.active
                                     then staff_members.second_factor_by
                                     else clock_timestamp() end",
    )
    .bind(person)
    .bind(membership.role.word())
    .bind(&membership.practitioner_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that a member has a second factor: from now on the account's staff calls need it.
pub async fn use_second_factor(
    executor: impl PgExecutor<'_>,
    person: Id<Customer>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update staff_members set second_factor_by = clock_timestamp()
         where user_id = $1 and second_factor_by > clock_timestamp()",
    )
    .bind(person)
    .execute(executor)
    .await?;
    Ok(())
}

/// Ends a membership. The row stays, so that the audit log remains readable; the address goes.
pub async fn end(tx: &mut Tx, person: Id<Customer>) -> Result<(), StoreError> {
    sqlx::query("update staff_members set active = false where user_id = $1")
        .bind(person)
        .execute(tx.connection())
        .await?;
    sqlx::query("delete from staff_addresses where user_id = $1")
        .bind(person)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Stores the proved address of a member's account, in lower case; nothing for other accounts.
pub async fn set_address(tx: &mut Tx, person: Id<Customer>, email: &str) -> Result<(), StoreError> {
    sqlx::query(
        "insert into staff_addresses (user_id, email, proved_at)
         select user_id, $2, clock_now() from staff_members where user_id = $1 and active
         on conflict (user_id) do update
         set email = excluded.email, proved_at = excluded.proved_at
         where staff_addresses.email <> excluded.email",
    )
    .bind(person)
    .bind(email)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// What changed of a membership, for the audit trail.
#[derive(Debug, Clone, Copy)]
pub struct MembershipChange<'a> {
    /// The account's id, or "operator".
    pub actor: &'a str,
    /// What changed.
    pub kind: ChangeKind,
    /// The member; `None` for an invitation that was not accepted.
    pub person: Option<Id<Customer>>,
    /// The invitation that it is about.
    pub invitation: Option<Id<StaffInvitation>>,
    /// The role before.
    pub before: Option<Role>,
    /// The role from then on; of an invitation, the role that it gives.
    pub after: Option<Role>,
}

kernel::words! {
    /// The kinds of changes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ChangeKind {
        /// An address was invited.
        Invited = "invited",
        /// The invitation was sent again.
        Resent = "resent",
        /// The invitation was withdrawn.
        Withdrawn = "withdrawn",
        /// The invitation was declined.
        Declined = "declined",
        /// The invitation was accepted.
        Joined = "joined",
        /// The role or the linked practitioner changed.
        RoleChanged = "role_changed",
        /// The member was removed.
        Removed = "removed",
        /// The member left.
        Left = "left",
        /// The operator set or revoked the role.
        Granted = "granted",
    }
}

/// The statement that adds to the audit trail, also for the operator's connection.
pub(super) const INSERT_CHANGE: &str = "insert into membership_changes
     (changed_at, practice_id, actor, kind, user_id, invitation_id, role_before, role_after)
     select clock_now(), practice_id, $1, $2, $3, $4, $5, $6 from practices";

/// Adds a change to the audit trail.
pub async fn record_change(tx: &mut Tx, change: MembershipChange<'_>) -> Result<(), StoreError> {
    sqlx::query(INSERT_CHANGE)
        .bind(change.actor)
        .bind(change.kind.word())
        .bind(change.person)
        .bind(change.invitation)
        .bind(change.before.map(Role::word).unwrap_or_default())
        .bind(change.after.map(Role::word).unwrap_or_default())
        .execute(tx.connection())
        .await?;
    Ok(())
}
