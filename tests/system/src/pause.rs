//! Pauses that are part of a fault or of a rhythm. What a test wants to know it waits for.

use std::time::Duration;

/// Waits for so long.
pub async fn wait_for(length: Duration) {
    tokio::time::sleep(length).await;
}
