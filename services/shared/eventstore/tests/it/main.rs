//! The event store on real PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up fails by panicking")]

mod appending;
mod audit;
mod batching;
mod checkpoints;
mod database_log;
mod consumer_releases;
mod feed;
mod gauges;
mod health;
mod rights;
mod timers;

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use eventstore::{IdempotencyKey, Metadata, NewEvent, Store, StoreError, request_hash};
use sqlx::migrate::Migrator;
use testkit::TestDatabase;

/// A service without tables of its own.
fn no_tables() -> Migrator {
    Migrator::with_migrations(Vec::new())
}

async fn database() -> Result<(TestDatabase, Store)> {
    let database = TestDatabase::new(&no_tables()).await?;
    let store = database.store()?;
    Ok((database, store))
}

fn event(text: &str) -> NewEvent {
    NewEvent::of(&BookingExpired { booking_id: text.to_owned() }).unwrap()
}

/// Appends one event to a stream, whatever its version is.
/// The key "key" of a caller and a method, for a request.
fn key(caller: &str, method: &'static str, request: &str) -> IdempotencyKey {
    let hash = request_hash(request.as_bytes());
    IdempotencyKey { caller: caller.to_owned(), method, key: "key".to_owned(), hash }
}

async fn append(store: &Store, stream: &str, text: &str) -> Result<i64, StoreError> {
    let (stream, text) = (stream.to_owned(), text.to_owned());
    store
        .write(Metadata::by("test", None), move |tx| {
            let (stream, text) = (stream.clone(), text.clone());
            Box::pin(async move {
                let loaded = tx.load(&stream).await?;
                tx.append(&stream, loaded.version, &[event(&text)]).await
            })
        })
        .await
}
