//! Writes invitations to the practice's staff. Needs the organisation's lock, except for reads by a
//! secret.

use eventstore::{StoreError, Tx};
use kernel::id::{Customer, StaffInvitation, StaffInvitationToken};
use kernel::{Id, Timestamp};
use sqlx::PgExecutor;
use staff::Role;

use crate::domain::organisation::{Invitation, InvitationState, KEPT_DAYS};
use crate::read_model::invitations::{invitation_sql, read};

/// The most rows that [`delete_ended`] deletes at once.
const DELETED_MAX: i64 = 10_000;

/// The secret of an invitation's newest mail.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is derived from.
    pub id: Id<StaffInvitationToken>,
    /// Its hash (SHA-256).
    pub hash: Vec<u8>,
}

/// Inserts a pending invitation.
///
/// # Errors
/// When the database does not answer, or the address has a pending one.
pub async fn insert(tx: &mut Tx, invitation: &Invitation, token: &Token) -> Result<(), StoreError> {
    sqlx::query(
        "insert into staff_invitations (invitation_id, practice_id, email, role, practitioner_id,
             invited_by, invited_at, token_id, token_hash, expires_at)
         select $1, practice_id, $2, $3, $4, $5, $6, $7, $8, $9 from practices",
    )
    .bind(invitation.id)
    .bind(&invitation.email)
    .bind(invitation.role.word())
    .bind(&invitation.practitioner_id)
    .bind(invitation.invited_by)
    .bind(invitation.invited_at)
    .bind(token.id)
    .bind(&token.hash)
    .bind(invitation.expires_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The invitation of an id.
pub async fn find(tx: &mut Tx, id: Id<StaffInvitation>) -> Result<Option<Invitation>, StoreError> {
    let row = sqlx::query(invitation_sql!("where invitation_id = $1"))
        .bind(id)
        .fetch_optional(tx.connection())
        .await?;
    row.as_ref().map(read).transpose()
}

/// The invitation whose newest mail has the secret of this hash.
pub async fn find_by_hash(
    executor: impl PgExecutor<'_>,
    hash: &[u8],
) -> Result<Option<Invitation>, StoreError> {
    let row = sqlx::query(invitation_sql!("where token_hash = $1"))
        .bind(hash)
        .fetch_optional(executor)
        .await?;
    row.as_ref().map(read).transpose()
}

/// Whether an address has an invitation that can be accepted; one that is too old is ended here.
pub async fn is_invited(tx: &mut Tx, email: &str, now: Timestamp) -> Result<bool, StoreError> {
    sqlx::query(
        "update staff_invitations set state = 'expired', ended_at = expires_at
         where email = $1 and state = 'pending' and expires_at <= $2",
    )
    .bind(email)
    .bind(now)
    .execute(tx.connection())
    .await?;
    let sql =
        "select exists (select from staff_invitations where email = $1 and state = 'pending')";
    Ok(sqlx::query_scalar(sql).bind(email).fetch_one(tx.connection()).await?)
}

/// How many invitations were sent since a moment.
pub async fn sent_since(tx: &mut Tx, since: Timestamp) -> Result<i64, StoreError> {
    let sql = "select count(*) from staff_invitations where invited_at > $1";
    Ok(sqlx::query_scalar(sql).bind(since).fetch_one(tx.connection()).await?)
}

/// Gives an invitation a new secret, for another mail; it is pending again.
pub async fn renew(
    tx: &mut Tx,
    id: Id<StaffInvitation>,
    token: &Token,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update staff_invitations
         set token_id = $2, token_hash = $3, expires_at = $4, mails = mails + 1, state = 'pending',
             ended_at = null
         where invitation_id = $1",
    )
    .bind(id)
    .bind(token.id)
    .bind(&token.hash)
    .bind(expires_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Ends an invitation that is pending; `answered_by` is the account that did it.
pub async fn end(
    tx: &mut Tx,
    id: Id<StaffInvitation>,
    state: InvitationState,
    answered_by: Option<Id<Customer>>,
) -> Result<(), StoreError> {
    sqlx::query(
        "update staff_invitations set state = $2, answered_by = $3, ended_at = clock_now()
         where invitation_id = $1 and state = 'pending'",
    )
    .bind(id)
    .bind(state.word())
    .bind(answered_by)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Withdraws the pending invitations that a member sent for these roles, and returns them.
pub async fn withdraw_of(
    tx: &mut Tx,
    inviter: Id<Customer>,
    roles: &[Role],
) -> Result<Vec<Id<StaffInvitation>>, StoreError> {
    let roles: Vec<&str> = roles.iter().map(|role| role.word()).collect();
    let ids = sqlx::query_scalar(WITHDRAW_OF)
        .bind(inviter)
        .bind(roles)
        .fetch_all(tx.connection())
        .await?;
    Ok(ids)
}

/// The statement of [`withdraw_of`], also for the operator's connection.
pub(super) const WITHDRAW_OF: &str =
    "update staff_invitations set state = 'withdrawn', ended_at = clock_now()
     where invited_by = $1 and state = 'pending' and role = any ($2) returning invitation_id";

/// Deletes invitations that ended long ago, a batch at most; whether more may be left.
pub async fn delete_ended(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from staff_invitations where invitation_id = any (array(
             select invitation_id from staff_invitations
             where invited_at <= $1 and expires_at <= $1 limit $2))",
    )
    .bind(now.plus_minutes(-KEPT_DAYS * 24 * 60))
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() == DELETED_MAX.unsigned_abs())
}
