//! Seals the secrets of authenticator apps again once the code key has changed, so that the former
//! key can go. It runs at the start of a process that has a former key, and may run again.

use uuid::Uuid;

use crate::app::{AccountSettings, App};
use crate::repository::factors;

/// Rows that are read at once.
const BATCH: i64 = 200;

/// Does it if there is a former key; what cannot be sealed now is sealed at the next start.
pub async fn at_the_start(app: &App, settings: &AccountSettings) {
    if settings.other_keys.code_previous.is_none() {
        return;
    }
    match run(app).await {
        Ok(count) => tracing::info!(count, "secrets are sealed with the present code key"),
        Err(error) => tracing::error!(%error, "secrets stay sealed with the former code key"),
    }
}

/// Seals all that the former key sealed; returns how many.
pub async fn run(app: &App) -> Result<u64, sqlx::Error> {
    let rows = app.store.pool();
    let (mut last, mut done) = (Uuid::nil(), 0);
    loop {
        let batch = factors::sealed_after(rows, last, BATCH).await?;
        let Some((next, _)) = batch.last() else { return Ok(done) };
        last = *next;
        for (factor_id, sealed) in batch {
            if app.sealer.is_current(&sealed) {
                continue;
            }
            let again = app.sealer.open(factor_id, &sealed);
            match again.and_then(|secret| app.sealer.seal(factor_id, &secret)) {
                Ok(again) => {
                    factors::reseal(rows, factor_id, (&sealed, &again)).await?;
                    done += 1;
                }
                Err(_unusable) => tracing::error!(%factor_id, "no key opens this secret"),
            }
        }
    }
}
