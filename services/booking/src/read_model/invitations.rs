//! Queries of invitations to the practice's staff.

use eventstore::StoreError;
use kernel::id::{StaffInvitation, StaffInvitationToken};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};
use staff::Role;

use crate::domain::organisation::{Invitation, InvitationState, KEPT_DAYS};

/// What the secret of a mail is derived from, and its hash.
pub type StoredToken = (Id<StaffInvitationToken>, Vec<u8>);

/// The query of invitations, with the rest of the statement.
macro_rules! invitation_sql {
    ($rest:literal) => {
        concat!(
            "select invitation_id, email, role, practitioner_id, state, invited_by, invited_at,
                    expires_at, mails, answered_by from staff_invitations ",
            $rest
        )
    };
}

pub(crate) use invitation_sql;

/// The most invitations of a list.
const LISTED_MAX: i64 = 200;

/// Reads a row.
///
/// # Errors
/// When it has a word that this program does not know.
pub(crate) fn read(row: &PgRow) -> Result<Invitation, StoreError> {
    let unknown = || sqlx::Error::Decode("not a word of staff_invitations".into());
    let role = Role::from_word(row.try_get("role")?).ok_or_else(unknown)?;
    let state = InvitationState::from_word(row.try_get("state")?).ok_or_else(unknown)?;
    Ok(Invitation {
        id: row.try_get("invitation_id")?,
        email: row.try_get("email")?,
        role,
        practitioner_id: row.try_get("practitioner_id")?,
        stored_state: state,
        invited_by: row.try_get("invited_by")?,
        invited_at: row.try_get("invited_at")?,
        expires_at: row.try_get("expires_at")?,
        mails: row.try_get("mails")?,
        answered_by: row.try_get("answered_by")?,
    })
}

/// The invitations that are kept, newest first.
pub async fn all(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Vec<Invitation>, StoreError> {
    let rows = sqlx::query(invitation_sql!(
        "where invited_at > $1 order by invited_at desc, invitation_id limit $2"
    ))
    .bind(now.plus_minutes(-KEPT_DAYS * 24 * 60))
    .bind(LISTED_MAX)
    .fetch_all(executor)
    .await?;
    rows.iter().map(read).collect()
}

/// An invitation with what the secret of its newest mail is derived from.
pub async fn with_token(
    executor: impl PgExecutor<'_>,
    id: Id<StaffInvitation>,
) -> Result<Option<(Invitation, StoredToken)>, StoreError> {
    let row = sqlx::query(
        "select invitation_id, email, role, practitioner_id, state, invited_by, invited_at,
                expires_at, mails, answered_by, token_id, token_hash
         from staff_invitations where invitation_id = $1",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((read(&row)?, (row.try_get("token_id")?, row.try_get("token_hash")?))))
}
