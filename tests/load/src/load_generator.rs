//! Two load models: closed loop, where each caller waits for its answer before the next call; and
//! at a fixed rate, independent of the answers (open loop).

use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::samples::Samples;

/// A client that repeats a call and detects a wrong answer.
pub(crate) trait Caller: Send + 'static {
    /// Makes one call and waits for its answer.
    fn call(&mut self) -> impl Future<Output = Result<()>> + Send;
}

/// What a time of loading came to.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    /// From the first question to the last answer.
    pub(crate) took: Duration,
    /// How long each call took.
    pub(crate) waits: Samples,
}

impl Round {
    /// How many calls were answered in a second.
    pub(crate) fn per_second(&self) -> f64 {
        let calls = u32::try_from(self.waits.len()).unwrap_or(u32::MAX);
        f64::from(calls) / self.took.as_secs_f64()
    }
}

/// Lets all callers call for so long, each as soon as it has its answer.
///
/// # Errors
/// The first call that fails.
pub(crate) async fn closed_loop<C: Caller>(
    callers: &mut Vec<C>,
    length: Duration,
) -> Result<Round> {
    let began = Instant::now();
    let mut running = JoinSet::new();
    for mut caller in callers.drain(..) {
        running.spawn(async move {
            let mut waits = Samples::default();
            loop {
                let asked = Instant::now();
                if asked.duration_since(began) >= length {
                    return Ok::<_, anyhow::Error>((caller, waits));
                }
                caller.call().await?;
                waits.push(asked.elapsed());
            }
        });
    }
    let mut waits = Samples::default();
    while let Some(ended) = running.join_next().await {
        let (caller, more) = ended.context("a caller broke down")??;
        callers.push(caller);
        waits.absorb(more);
    }
    Ok(Round { took: began.elapsed(), waits })
}

/// Makes `count` calls at a fixed rate. Each wait counts from the moment at which the call was due,
/// so that a delayed call counts its waiting time, too (no coordinated omission).
///
/// # Errors
/// The first call that fails.
pub(crate) async fn open_loop<C: Caller>(
    callers: &mut Vec<C>,
    per_second: u32,
    count: u32,
) -> Result<Samples> {
    let mut due = ticks(per_second, count);
    let (idle, mut free) = mpsc::unbounded_channel();
    for caller in callers.drain(..) {
        idle.send(caller).ok();
    }
    let mut running = JoinSet::new();
    while let Some(due) = due.recv().await {
        let mut caller: C = free.recv().await.context("there is no caller")?;
        let idle = idle.clone();
        running.spawn(async move {
            let called = caller.call().await;
            let wait = due.elapsed();
            idle.send(caller).ok();
            called.map(|()| wait)
        });
    }
    let mut waits = Samples::default();
    while let Some(ended) = running.join_next().await {
        waits.push(ended.context("a caller broke down")??);
    }
    drop(idle);
    while let Some(caller) = free.recv().await {
        callers.push(caller);
    }
    Ok(waits)
}

fn wait_until(due: Instant) {
    std::thread::sleep(due.saturating_duration_since(Instant::now()));
}

/// The moments at which calls are due. A thread of its own sleeps between them: the runtime's
/// timers know milliseconds only, which is as long as what is measured.
fn ticks(per_second: u32, count: u32) -> mpsc::UnboundedReceiver<Instant> {
    let (tell, told) = mpsc::unbounded_channel();
    let began = Instant::now();
    let gap = Duration::from_secs(1) / per_second.max(1);
    std::thread::spawn(move || {
        for number in 1..=count {
            let due = began + gap * number;
            wait_until(due);
            if tell.send(due).is_err() {
                return;
            }
        }
    });
    told
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Answers at once, but the call with this number late or never.
    struct TestCaller {
        calls: Arc<AtomicU32>,
        late_at: u32,
        fails_at: u32,
    }

    impl Caller for TestCaller {
        async fn call(&mut self) -> Result<()> {
            let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
            if number == self.late_at {
                let late = tokio::task::spawn_blocking(|| std::thread::park_timeout(LATE));
                late.await?;
            }
            anyhow::ensure!(number != self.fails_at, "a wrong answer");
            tokio::task::yield_now().await;
            Ok(())
        }
    }

    /// How late a late answer is.
    const LATE: Duration = Duration::from_millis(200);

    fn test_callers(
        count: usize,
        late_at: u32,
        fails_at: u32,
    ) -> (Vec<TestCaller>, Arc<AtomicU32>) {
        let calls = Arc::new(AtomicU32::new(0));
        let clerk = |_| TestCaller { calls: Arc::clone(&calls), late_at, fails_at };
        ((0..count).map(clerk).collect(), calls)
    }

    #[tokio::test]
    async fn every_call_of_a_round_is_counted_and_callers_come_back() {
        let (mut callers, calls) = test_callers(3, 0, 0);
        let round = closed_loop(&mut callers, Duration::from_millis(20)).await.unwrap();
        assert_eq!(round.waits.len(), usize::try_from(calls.load(Ordering::SeqCst)).unwrap());
        assert_eq!(callers.len(), 3);
        assert!(round.per_second() > 0.0);
    }

    #[tokio::test]
    async fn a_call_behind_a_slow_one_counts_from_its_due_time() {
        let (mut callers, calls) = test_callers(1, 1, 0);
        let waits = open_loop(&mut callers, 1000, 20).await.unwrap();
        assert_eq!((waits.len(), calls.load(Ordering::SeqCst)), (20, 20));
        // Only the first call is slow, and yet each of those behind it has waited for it.
        assert!(waits.p50() > LATE / 2, "{:?}", waits.p50());
        assert_eq!(callers.len(), 1);
    }

    #[tokio::test]
    async fn a_wrong_answer_ends_the_measurement() {
        let (mut callers, _calls) = test_callers(2, 0, 5);
        assert!(closed_loop(&mut callers, Duration::from_secs(60)).await.is_err());
        let (mut callers, _calls) = test_callers(2, 0, 5);
        assert!(open_loop(&mut callers, 1000, 10).await.is_err());
    }
}
