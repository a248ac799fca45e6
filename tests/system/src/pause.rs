//! Pauses of a fixed length. Tests that wait for a condition use `testkit::until`.

use std::time::Duration;

/// Waits for this time.
pub async fn wait_for(length: Duration) {
    tokio::time::sleep(length).await;
}
