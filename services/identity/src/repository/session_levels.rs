//! The level of a session: `aal1`, and `aal2` after a second factor.

use eventstore::Tx;
use kernel::Timestamp;
use serde_json::{Value, json};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::repository::sessions::{self, AuthMethod, OpenedSession, Session};
use crate::repository::users::User;
use crate::tokens::secrets::RefreshToken;

/// The level of a session with a second factor.
pub const AAL2: &str = "aal2";

/// What raises a session.
#[derive(Debug, Clone, Copy)]
pub struct Proof {
    /// Its value in the amr claim.
    pub method: &'static str,
    /// The factor or passkey; none for a recovery code.
    pub factor_id: Option<Uuid>,
}

/// Raises a session to `aal2`, with a new refresh token. Those of before end, so that none that was
/// taken from the session at `aal1` continues it at `aal2`. `None` when the session has ended.
pub async fn raise(
    tx: &mut Tx,
    user: User,
    session_id: Uuid,
    proof: Proof,
    now: Timestamp,
) -> Result<Option<OpenedSession>, sqlx::Error> {
    let known: Option<Session> = sqlx::query_as(
        "select session_id, proofs, password_reset_until_at, aal, factor_id, created_at
         from sessions where session_id = $1 and user_id = $2 for update",
    )
    .bind(session_id)
    .bind(user.user_id)
    .fetch_optional(tx.connection())
    .await?;
    let Some(mut session) = known else { return Ok(None) };
    session.proofs = with_proof(&session.proofs, proof.method, now);
    session.aal = AAL2.to_owned();
    session.factor_id = proof.factor_id;
    sqlx::query(
        "update sessions set aal = $2, factor_id = $3, proofs = $4, refreshed_at = $5
         where session_id = $1",
    )
    .bind(session_id)
    .bind(&session.aal)
    .bind(session.factor_id)
    .bind(&session.proofs)
    .bind(now)
    .execute(tx.connection())
    .await?;
    sqlx::query("delete from refresh_tokens where session_id = $1")
        .bind(session_id)
        .execute(tx.connection())
        .await?;
    let refresh_token = RefreshToken::random();
    sessions::insert_token(tx.connection(), session_id, &refresh_token, now).await?;
    Ok(Some(OpenedSession { user, session, refresh_token, now, password_removed: false }))
}

/// Notes that a mailed code was redeemed for a session that is open.
pub async fn note_code(tx: &mut Tx, session: &Session, now: Timestamp) -> Result<(), sqlx::Error> {
    sqlx::query("update sessions set proofs = $2 where session_id = $1")
        .bind(session.session_id)
        .bind(with_proof(&session.proofs, AuthMethod::Otp.amr_value(), now))
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Marks a session that was opened by a passkey whose user was verified.
pub async fn mark_passkey(
    tx: &mut Tx,
    opened: &mut OpenedSession,
    passkey_id: Uuid,
) -> Result<(), sqlx::Error> {
    opened.session.aal = AAL2.to_owned();
    opened.session.factor_id = Some(passkey_id);
    sqlx::query("update sessions set aal = $2, factor_id = $3 where session_id = $1")
        .bind(opened.session.session_id)
        .bind(AAL2)
        .bind(passkey_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Ends the sessions of an account at `aal1` except `except`.
pub async fn end_lower(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    except: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from sessions where user_id = $1 and aal = 'aal1' and session_id <> $2")
        .bind(user_id)
        .bind(except)
        .execute(executor)
        .await?;
    Ok(())
}

/// Drops the sessions that a factor or passkey had raised to `aal1`, and its method from their
/// proofs unless it is the only one.
pub async fn drop_raised(
    executor: impl PgExecutor<'_>,
    (user_id, factor_id): (Uuid, Uuid),
    method: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update sessions
         set aal = 'aal1', factor_id = null,
             proofs = coalesce(
                 (select jsonb_agg(proof order by place)
                  from jsonb_array_elements(proofs) with ordinality as given (proof, place)
                  where proof ->> 'method' <> $3),
                 proofs)
         where user_id = $1 and factor_id = $2",
    )
    .bind(user_id)
    .bind(factor_id)
    .bind(method)
    .execute(executor)
    .await?;
    Ok(())
}

/// The proofs with a new one in front, in place of an older one of its method.
fn with_proof(proofs: &Value, method: &str, now: Timestamp) -> Value {
    let others = proofs.as_array().into_iter().flatten().filter(|proof| proof["method"] != method);
    let newest = json!({ "method": method, "timestamp": now.seconds() });
    Value::Array(std::iter::once(newest).chain(others.cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::with_proof;
    use kernel::Timestamp;
    use serde_json::json;

    #[test]
    fn the_newest_proof_comes_first_and_each_method_once() {
        let before = json!([{ "method": "password", "timestamp": 0 }]);
        let once = with_proof(&before, "totp", Timestamp::EPOCH.plus_seconds(5));
        let proof = |method, timestamp| json!({ "method": method, "timestamp": timestamp });
        assert_eq!(once, json!([proof("totp", 5), proof("password", 0)]));
        let twice = with_proof(&once, "totp", Timestamp::EPOCH.plus_seconds(9));
        assert_eq!(twice, json!([proof("totp", 9), proof("password", 0)]));
    }
}
