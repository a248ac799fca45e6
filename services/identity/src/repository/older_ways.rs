//! Ways into an account that are older than the proof of its address. Versions before this one left
//! them when a mail's code or link proved the address, so a stranger may have prepared them.

use kernel::Timestamp;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Asks for them.
const LIST: &str = include_str!("older_ways.sql");

/// An account with such ways, and how many of each. A password's age is not known: it counts where
/// the account has changed its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderWays {
    /// The account.
    pub user_id: Uuid,
    /// When its address was proved.
    pub proved_at: Timestamp,
    /// Whether its password may be older.
    pub password: bool,
    /// Sessions that do not come from a mailed code since then.
    pub sessions: i64,
    /// Second factors and passkeys.
    pub authenticators: i64,
    /// Recovery codes.
    pub recovery_codes: i64,
    /// Identities of other providers.
    pub identities: i64,
    /// Whether its phone is older.
    pub phone: bool,
}

from_row!(OlderWays {
    user_id,
    proved_at,
    password,
    sessions,
    authenticators,
    recovery_codes,
    identities,
    phone,
});

/// The accounts that have some, and where nothing shows that they are of the person who proved the
/// address: no browser had a session before and one by a mailed code since, and no session by a
/// mailed code used an older factor.
pub async fn list(executor: impl PgExecutor<'_>) -> Result<Vec<OlderWays>, sqlx::Error> {
    sqlx::query_as(LIST).fetch_all(executor).await
}

/// Closes them.
pub async fn close(connection: &mut PgConnection, ways: &OlderWays) -> Result<(), sqlx::Error> {
    let closing = [
        "delete from sessions s
         where s.user_id = $1
           and (s.created_at < $2
                or not exists (select from jsonb_array_elements(s.proofs) proof
                               where proof ->> 'method' in ('otp', 'recovery', 'email/signup',
                                                            'magiclink', 'invite',
                                                            'email_change')))",
        "delete from factors where user_id = $1 and created_at < $2",
        "delete from passkeys where user_id = $1 and created_at < $2",
        "delete from recovery_codes where user_id = $1 and created_at < $2",
        "delete from identities
         where user_id = $1 and provider not in ('email', 'phone') and created_at < $2",
        "delete from identities
         where user_id = $1 and provider = 'phone'
           and (select phone_confirmed_at < $2 from users u where u.user_id = $1)",
        "update users set phone = null, phone_confirmed_at = null, new_phone = null
         where user_id = $1 and phone_confirmed_at < $2",
    ];
    for sql in closing {
        sqlx::query(sql).bind(ways.user_id).bind(ways.proved_at).execute(&mut *connection).await?;
    }
    if ways.password {
        sqlx::query("update users set password_hash = null where user_id = $1")
            .bind(ways.user_id)
            .execute(connection)
            .await?;
    }
    Ok(())
}

/// Notes that a task is done. Of several processes, and of all starts, one gets true.
pub async fn begin_once(
    executor: impl PgExecutor<'_>,
    name: &str,
    now: Timestamp,
) -> Result<bool, sqlx::Error> {
    let noted = sqlx::query(
        "insert into upgrade_tasks (name, done_at) values ($1, $2) on conflict do nothing",
    )
    .bind(name)
    .bind(now)
    .execute(executor)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// Notes in how many accounts a task has found something.
pub async fn note_found(
    executor: impl PgExecutor<'_>,
    (name, accounts): (&str, usize),
) -> Result<(), sqlx::Error> {
    sqlx::query("update upgrade_tasks set accounts = $2 where name = $1")
        .bind(name)
        .bind(i32::try_from(accounts).unwrap_or(i32::MAX))
        .execute(executor)
        .await?;
    Ok(())
}
