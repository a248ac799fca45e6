//! Connections to a service's database, and its migrations.

use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqlStr};

static EVENT_LOG: LazyLock<Migrator> =
    LazyLock::new(|| embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// How long after its last use a connection is assumed to be alive.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// How long a connection lives. Connections take turns, so none is idle for long; only its age
/// closes one after a busy time, and each open one costs the server some 5 MiB.
const LIFETIME: Duration = Duration::from_secs(300);

/// The most connections of a service, unless its database's URL names a number.
const CONNECTIONS_MAX: u32 = 12;

/// The address of a service's database, and how many connections it may use.
#[derive(Debug, Clone)]
pub struct Database {
    /// A `postgres://` URL of the service's own role.
    pub url: String,
    /// The most connections at a time; a request holds one at a time.
    pub connections_max: u32,
}

impl Database {
    /// A database with the usual number of connections, or with as many as the URL's
    /// `connection_limit` says (`postgres://…/booking?connection_limit=6`).
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        let (url, connections_max) = split_limit(url.into());
        Self { url, connections_max: connections_max.unwrap_or(CONNECTIONS_MAX) }
    }

    /// Opens the pool without connecting yet, so that a service starts while its database does.
    pub fn open(&self) -> Result<PgPool, sqlx::Error> {
        let options = PgConnectOptions::from_str(&self.url)?.options([
            // A transaction runs in a task of its own; if one is leaked all the same, it ends by
            // itself.
            ("idle_in_transaction_session_timeout", "15s"),
            ("statement_timeout", "15s"),
            // Our statements read few rows, so compiling them costs more than it saves.
            ("jit", "off"),
            ("timezone", "UTC"),
        ]);
        let pool = PgPoolOptions::new()
            .max_connections(self.connections_max)
            // Shorter than callers wait, and long enough for a thousand callers to take turns.
            .acquire_timeout(Duration::from_secs(10))
            .max_lifetime(LIFETIME)
            // A connection that was used a moment ago is not tested, because that is a round trip
            // for each request. If it has died, its request fails, as it would have a moment later.
            // After a restart of the database connections are too old to be trusted.
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for > TRUSTED_FOR {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(pool)
    }
}

/// Takes `connection_limit`, which is our own parameter and not PostgreSQL's, from a URL. A value
/// that is no number from 1 on is left there, and the driver reports it.
fn split_limit(url: String) -> (String, Option<u32>) {
    let Some((address, query)) = url.split_once('?') else { return (url, None) };
    let limit_of = |part: &str| {
        let limit = part.strip_prefix("connection_limit=")?.parse::<u32>().ok()?;
        (limit > 0).then_some(limit)
    };
    let Some(limit) = query.split('&').find_map(limit_of) else { return (url, None) };
    let rest: Vec<&str> = query.split('&').filter(|part| limit_of(part).is_none()).collect();
    let query = rest.join("&");
    let url = if query.is_empty() { address.to_owned() } else { format!("{address}?{query}") };
    (url, Some(limit))
}

/// The migrations that a crate's build script listed (`migration_list.rs`). They are what sqlx
/// reads from the folder: databases keep versions and checksums, and are refused when these differ.
#[must_use]
pub fn embedded(files: &[(i64, &'static str, &'static str)]) -> Migrator {
    let migration = |&(version, name, sql): &(i64, &'static str, &'static str)| {
        let kind = MigrationType::from_filename(name);
        let description = name.trim_end_matches(kind.suffix()).replace('_', " ");
        let no_tx = sql.starts_with("-- no-transaction");
        Migration::new(version, description.into(), kind, SqlStr::from_static(sql), no_tx)
    };
    Migrator::with_migrations(files.iter().map(migration).collect())
}

/// The event log's migrations and the service's own, in one order.
#[must_use]
pub fn migrations(service: &Migrator) -> Migrator {
    let mut all = EVENT_LOG.migrations.to_vec();
    all.extend(service.migrations.iter().cloned());
    Migrator::with_migrations(all)
}

/// Migrates a database: the event log first, then the service's own tables, then the rights of
/// `app_role`, which may read and add events but never change one.
///
/// # Errors
/// When the database refuses; it then has nothing of the failed migration.
pub async fn migrate(
    owner_url: &str,
    app_role: &str,
    service: &Migrator,
) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(owner_url).await?;
    migrations(service).run_direct(None, &mut connection, false).await?;
    grant(&mut connection, app_role).await?;
    connection.close().await
}

/// The rights of every service: it owns nothing, and changes nothing that is kept permanently.
///
/// The service also loses the right to change a table whose rows a trigger protects (`before update
/// or delete … refuse_…`). The function `revoke_from_service(role)` of the service's own migrations
/// revokes further rights.
const RESTRICTIONS: &str = "
do $restrict$
declare
    service name := '{role}';
    kept regclass;
begin
    for kept in
        select distinct t.tgrelid::regclass from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where not t.tgisinternal and t.tgtype & 27 = 27 and p.proname like 'refuse\\_%'
    loop
        execute format('revoke update, delete, truncate on %s from %I', kept, service);
    end loop;
    if to_regprocedure('revoke_from_service(name)') is not null then
        execute format('select revoke_from_service(%L)', service);
    end if;
end $restrict$;";

async fn grant(connection: &mut PgConnection, app_role: &str) -> Result<(), sqlx::Error> {
    let role = format!("\"{}\"", app_role.replace('"', "\"\""));
    // One simple query is one transaction: nothing is open in between.
    let mut sql = format!(
        "grant usage on schema public to {role};
         grant select, insert, update, delete on all tables in schema public to {role};
         grant usage on all sequences in schema public to {role};
         revoke update, delete, truncate on events, feed, audit_log from {role};
         revoke insert, update, delete, truncate on clock, _sqlx_migrations from {role};"
    );
    sql.push_str(&RESTRICTIONS.replace("{role}", &app_role.replace('\'', "''")));
    // The role's name is quoted above and comes from the operator's own settings.
    connection.execute(AssertSqlSafe(sql)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Database;

    #[test]
    fn the_number_of_connections_may_stand_in_the_url() {
        for (url, known_to_the_driver, connections_max) in [
            ("postgres://a/b", "postgres://a/b", 12),
            ("postgres://a/b?connection_limit=5", "postgres://a/b", 5),
            (
                "postgres://a/b?sslmode=require&connection_limit=5&application_name=x",
                "postgres://a/b?sslmode=require&application_name=x",
                5,
            ),
            ("postgres://a/b?connection_limit=0", "postgres://a/b?connection_limit=0", 12),
            ("postgres://a/b?connection_limit=x", "postgres://a/b?connection_limit=x", 12),
        ] {
            let database = Database::new(url);
            assert_eq!(
                (database.url.as_str(), database.connections_max),
                (known_to_the_driver, connections_max)
            );
        }
    }
}
