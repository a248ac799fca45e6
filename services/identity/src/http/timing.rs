//! The least time of a response, so that its duration reveals nothing.

use std::time::Duration;

/// Minimum time of responses that could otherwise reveal by their duration whether an address has
/// an account.
const RESPONSE_TIME_MIN: Duration = Duration::from_millis(200);

/// Runs the work and returns no sooner than [`RESPONSE_TIME_MIN`].
pub(crate) async fn with_min_duration<T>(work: impl Future<Output = T>) -> T {
    let (done, ()) = tokio::join!(work, tokio::time::sleep(RESPONSE_TIME_MIN));
    done
}
