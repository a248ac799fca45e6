//! What the role of a serving process may do with its database.

use anyhow::Result;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{PgConnection, PgPool, SqlSafeStr as _};
use testkit::TestDatabase;

use crate::database;

/// The tables on which the connected role has this right.
async fn tables_with(pool: &PgPool, right: &str) -> Result<Vec<String>> {
    let names = sqlx::query_scalar(
        "select relname::text from pg_class
         where relkind = 'r' and relnamespace = 'public'::regnamespace
         and has_table_privilege(oid, $1) order by 1",
    );
    Ok(names.bind(right).fetch_all(pool).await?)
}

#[tokio::test]
async fn a_serving_process_changes_nothing_that_is_kept_for_ever() -> Result<()> {
    let (_database, store) = database().await?;
    let all = tables_with(store.pool(), "select").await?;
    for (right, without) in [
        ("insert", &["_sqlx_migrations", "clock"][..]),
        ("update", &["_sqlx_migrations", "audit_log", "clock", "events", "feed"]),
        ("delete", &["_sqlx_migrations", "audit_log", "clock", "events", "feed"]),
    ] {
        let allowed = tables_with(store.pool(), right).await?;
        let missing: Vec<&String> = all.iter().filter(|name| !allowed.contains(name)).collect();
        assert_eq!(missing, without, "{right}");
    }
    for right in ["truncate", "references", "trigger"] {
        assert!(tables_with(store.pool(), right).await?.is_empty(), "{right}");
    }
    let create: bool = sqlx::query_scalar("select has_schema_privilege('public', 'create')")
        .fetch_one(store.pool())
        .await?;
    let owned: i64 = sqlx::query_scalar(
        "select count(*) from pg_shdepend d join pg_roles r on r.oid = d.refobjid
         where d.deptype = 'o' and r.rolname = current_user",
    )
    .fetch_one(store.pool())
    .await?;
    assert!(!create && owned == 0, "the serving role owns {owned}, and may create: {create}");
    Ok(())
}

/// A service with a table that keeps its rows, one that it may fill only, and an open one.
fn restricted() -> Migrator {
    const SQL: &str = "create table kept (id int); create table filled (id int);
        create table open (id int);
        create trigger kept_is_immutable before update or delete on kept
            for each row execute function refuse_change();
        create function revoke_from_service(service name) returns void language plpgsql as $$
        begin execute format('revoke update, delete on filled from %I', service); end $$;
        revoke execute on function revoke_from_service from public";
    Migrator::with_migrations(vec![Migration::new(
        20_261_120_000_002,
        "create tables".into(),
        MigrationType::Simple,
        SQL.into_sql_str(),
        false,
    )])
}

#[tokio::test]
async fn tables_that_keep_their_rows_and_what_a_service_names_are_closed_by_right() -> Result<()> {
    let database = TestDatabase::new(&restricted()).await?;
    let store = database.store()?;
    for right in ["update", "delete"] {
        let allowed = tables_with(store.pool(), right).await?;
        let names = ["filled", "kept", "open"];
        let open = names.map(|name| allowed.iter().any(|known| known == name));
        assert_eq!(open, [false, false, true], "{right}");
    }
    assert!(tables_with(store.pool(), "insert").await?.contains(&"kept".to_owned()));
    Ok(())
}

#[tokio::test]
async fn rights_that_an_earlier_release_gave_are_taken_back() -> Result<()> {
    use sqlx::Connection as _;
    let (database, store) = database().await?;
    database.as_owner("grant all on events, feed, _sqlx_migrations to sukoon_test_app").await?;
    assert!(tables_with(store.pool(), "truncate").await?.contains(&"events".to_owned()));
    let none = Migrator::with_migrations(Vec::new());
    eventstore::migrate(&database.owner_url, "sukoon_test_app", &none).await?;
    let changed = "update feed set position = 9";
    assert!(sqlx::query(changed).execute(store.pool()).await.is_err());
    let mut own = PgConnection::connect(database.url.split('?').next().unwrap_or_default()).await?;
    let hidden = sqlx::query("delete from _sqlx_migrations").execute(&mut own).await;
    assert!(hidden.is_err(), "a serving process could hide a migration");
    Ok(())
}
