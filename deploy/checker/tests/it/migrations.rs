//! What is embedded in the programs is what sqlx reads from the folders of `migrations/`. Databases
//! keep versions and checksums, and a program refuses a database whose checksums differ.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use sqlx::migrate::{Migration, Migrator};

/// All that sqlx keeps or runs of a migration.
fn parts(migration: &Migration) -> String {
    let Migration { version, description, migration_type, sql, checksum, no_tx } = migration;
    format!("{version} {description:?} {migration_type:?} {no_tx} {checksum:?} {}", sql.as_str())
}

#[tokio::test]
async fn embedded_migrations_are_those_that_sqlx_reads_from_the_folder() -> Result<()> {
    let event_log = eventstore::database::migrations(&Migrator::with_migrations(Vec::new()));
    let all: [(&str, &Migrator); 6] = [
        ("eventstore", &event_log),
        ("booking", &booking::MIGRATIONS),
        ("identity", &identity::MIGRATIONS),
        ("notifications", &notifications::MIGRATIONS),
        ("payments", &payments::MIGRATIONS),
        ("reviews", &reviews::MIGRATIONS),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    ensure!(fs::read_dir(&root)?.count() == all.len(), "a folder of {root:?} is not compared here");
    for (folder, embedded) in all {
        let files = root.join(folder);
        let read = Migrator::new(files.as_path()).await?;
        ensure!(
            read.iter().count() == fs::read_dir(&files)?.count(),
            "sqlx skips one of {files:?}"
        );
        let [read, embedded] =
            [&read, embedded].map(|list| list.iter().map(parts).collect::<Vec<_>>());
        assert_eq!(embedded, read, "{files:?}");
    }
    Ok(())
}
