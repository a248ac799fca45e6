//! Until when the calls of one piece of work may last, all together: what they have brought by then
//! is recorded, instead of being lost with the work.

use std::time::Duration;

use tokio::time::Instant;

tokio::task_local! {
    static DEADLINE: Instant;
}

/// Does the work with a deadline for its calls; work after them is not cut off.
pub async fn within<T>(budget: Duration, work: impl Future<Output = T>) -> T {
    DEADLINE.scope(Instant::now() + budget, work).await
}

/// How long a call may last that would otherwise have this long.
#[must_use]
pub fn left(longest: Duration) -> Duration {
    let left = |deadline: &Instant| deadline.saturating_duration_since(Instant::now());
    DEADLINE.try_with(left).map_or(longest, |left| left.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn calls_share_one_deadline() {
        const CALL: Duration = Duration::from_secs(8);
        assert_eq!(left(CALL), CALL, "without a deadline each call has its own time");
        within(Duration::from_secs(15), async {
            assert_eq!(left(CALL), CALL);
            tokio::time::advance(Duration::from_secs(10)).await;
            assert_eq!(left(CALL), Duration::from_secs(5));
            tokio::time::advance(Duration::from_secs(10)).await;
            assert_eq!(left(CALL), Duration::ZERO);
        })
        .await;
    }
}
