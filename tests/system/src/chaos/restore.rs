//! Restores every database from logical backups, as after a lost disk: the databases are new, with
//! other transaction ids and the same content.

use anyhow::Result;

use crate::practice::{Practice, STORES};

/// Dumps all databases while nothing is pending, drops and restores them. The services are stopped
/// by SIGSTOP and find their connections closed when they continue.
pub(super) async fn from_backup(practice: &Practice) -> Result<()> {
    practice.wait_until_idle().await?;
    for service in STORES {
        practice.signal(service, "STOP")?;
    }
    let restored = restore(practice).await;
    for service in STORES {
        practice.signal(service, "CONT")?;
    }
    restored?;
    practice.wait_until_healthy().await
}

async fn restore(practice: &Practice) -> Result<()> {
    let file = |service: &str| practice.data().join(format!("{service}.dump"));
    for service in STORES {
        practice.dump(service, &file(service))?;
    }
    for service in STORES {
        practice.restore(service, &file(service)).await?;
    }
    Ok(())
}
