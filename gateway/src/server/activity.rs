//! What happens on a connection, counted by the parts that see it; `Watchdog` decides from it how
//! long the connection is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// A client that takes less than this within the write timeout is too slow.
const STALL_BYTES_MIN: u64 = 16 * 1024;
/// What a client may send besides heads and bodies: frames that control an HTTP/2 connection, and
/// bodies that nothing reads.
const OVERHEAD_BYTES_MAX: u64 = 128 * 1024;
/// The same for each request: more than a head may have.
const OVERHEAD_BYTES_PER_REQUEST: u64 = 16 * 1024;
/// A client confirms each frame that it receives, with fewer bytes than this share of them.
const WRITTEN_PER_OVERHEAD_BYTE: u64 = 64;
/// Requests that a client may reset besides as many as it lets finish: HTTP/2 lets it start the
/// next at once.
const RESETS_MAX: u64 = 100;

/// Counters of one connection.
#[derive(Debug)]
pub(super) struct Activity {
    accepted: Instant,
    requests: AtomicU64,
    resets: AtomicU64,
    /// Requests whose response is not yet sent.
    in_flight: AtomicUsize,
    /// Milliseconds from `accepted` to the end of the last request.
    idle_since_ms: AtomicU64,
    bytes_read: AtomicU64,
    body_bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    /// Things that end only when the client reads: see `ClientTurn`.
    client_turns: AtomicUsize,
    /// Whether the socket accepted no more bytes.
    write_blocked: AtomicBool,
    /// How often the client had read everything.
    caught_up: AtomicU64,
    eviction: Notify,
}

impl Activity {
    pub(super) fn new(accepted: Instant) -> Arc<Self> {
        Arc::new(Self {
            accepted,
            requests: AtomicU64::new(0),
            resets: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            idle_since_ms: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            body_bytes_read: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            client_turns: AtomicUsize::new(0),
            write_blocked: AtomicBool::new(false),
            caught_up: AtomicU64::new(0),
            eviction: Notify::new(),
        })
    }

    pub(super) fn request_started(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// A request ended; `was_answered` is false if the client gave it up.
    pub(super) fn request_ended(&self, was_answered: bool) {
        if !was_answered {
            self.resets.fetch_add(1, Ordering::Relaxed);
        }
        let now = u64::try_from(self.accepted.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.idle_since_ms.store(now, Ordering::Relaxed);
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn bytes_were_read(&self, bytes: usize) {
        self.bytes_read.fetch_add(to_u64(bytes), Ordering::Relaxed);
    }

    pub(super) fn body_bytes_were_read(&self, bytes: usize) {
        self.body_bytes_read.fetch_add(to_u64(bytes), Ordering::Relaxed);
    }

    pub(super) fn bytes_were_written(&self, bytes: usize) {
        self.bytes_written.fetch_add(to_u64(bytes), Ordering::Relaxed);
        if self.write_blocked.swap(false, Ordering::Relaxed) {
            self.note_caught_up();
        }
    }

    pub(super) fn write_was_blocked(&self) {
        self.write_blocked.store(true, Ordering::Relaxed);
    }

    fn note_caught_up(&self) {
        if !self.waits_for_client() {
            self.caught_up.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether the response, or a part of it, waits until the client reads.
    pub(super) fn waits_for_client(&self) -> bool {
        self.client_turns.load(Ordering::Relaxed) > 0 || self.write_blocked.load(Ordering::Relaxed)
    }

    /// Whether the client sends far more than its requests need, or resets most of them.
    pub(super) fn is_flood(&self) -> bool {
        let requests = self.requests.load(Ordering::Relaxed);
        let needed = self
            .body_bytes_read
            .load(Ordering::Relaxed)
            .saturating_mul(2)
            .saturating_add(requests.saturating_mul(OVERHEAD_BYTES_PER_REQUEST))
            .saturating_add(self.bytes_written.load(Ordering::Relaxed) / WRITTEN_PER_OVERHEAD_BYTE);
        let resets = self.resets.load(Ordering::Relaxed);
        self.bytes_read.load(Ordering::Relaxed) > needed.saturating_add(OVERHEAD_BYTES_MAX)
            || resets.saturating_mul(2) > requests.saturating_add(RESETS_MAX)
    }

    /// When the last request ended, or the connection was accepted; `None` while a request is in
    /// flight.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let idle_since = Duration::from_millis(self.idle_since_ms.load(Ordering::Relaxed));
        let is_idle = self.in_flight.load(Ordering::Relaxed) == 0;
        is_idle.then(|| self.accepted + idle_since)
    }

    /// Asks the connection to end, in favour of another.
    pub(super) fn evict(&self) {
        self.eviction.notify_one();
    }

    /// Waits until the connection was asked to end.
    pub(super) async fn evicted(&self) {
        self.eviction.notified().await;
    }
}

fn to_u64(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Something that ends only when the client reads: data that are not yet sent, or a body that is
/// not asked for more because of them.
#[derive(Debug)]
pub(super) struct ClientTurn(Arc<Activity>);

impl ClientTurn {
    pub(super) fn new(activity: &Arc<Activity>) -> Self {
        activity.client_turns.fetch_add(1, Ordering::Relaxed);
        Self(activity.clone())
    }
}

impl Drop for ClientTurn {
    fn drop(&mut self) {
        self.0.client_turns.fetch_sub(1, Ordering::Relaxed);
        self.0.note_caught_up();
    }
}

/// Timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    /// Until the first request, and for the head of each request.
    pub(super) head: Duration,
    /// Between two requests.
    pub(super) idle: Duration,
    /// In which a client has to take some of its response.
    pub(super) write: Duration,
}

/// What to do with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextAction {
    /// Nothing before this time.
    KeepUntil(Instant),
    /// Graceful shutdown now; checked again at this time.
    Drain(Instant),
    /// Close it now.
    Close,
}

/// Decides how long a connection is kept.
#[derive(Debug)]
pub(super) struct Watchdog {
    activity: Arc<Activity>,
    timeouts: Timeouts,
    /// Whether a graceful shutdown was started.
    is_draining: bool,
    stall: Option<Stall>,
}

/// A time in which the client has to read.
#[derive(Clone, Copy, Debug)]
struct Stall {
    since: Instant,
    bytes_written: u64,
    caught_up: u64,
}

impl Watchdog {
    pub(super) fn new(activity: Arc<Activity>, timeouts: Timeouts) -> Self {
        Self { activity, timeouts, is_draining: false, stall: None }
    }

    /// When it has to be asked first.
    pub(super) fn first_check(&self) -> Instant {
        self.activity.accepted + self.timeouts.head.min(self.timeouts.idle)
    }

    /// The connection is asked to end now: it is draining from here on.
    pub(super) fn begin_drain(&mut self, now: Instant) -> Instant {
        self.is_draining = true;
        now + self.timeouts.head
    }

    pub(super) fn next_action(&mut self, now: Instant) -> NextAction {
        let Timeouts { head, idle, write } = self.timeouts;
        if self.activity.requests.load(Ordering::Relaxed) == 0 {
            let end = self.activity.accepted + head;
            return if end > now && !self.is_draining {
                NextAction::KeepUntil(end)
            } else {
                NextAction::Close
            };
        }
        if self.is_stalled(now) {
            return NextAction::Close;
        }
        let Some(idle_since) = self.activity.idle_since() else {
            return NextAction::KeepUntil(now + idle.min(write));
        };
        if self.is_draining {
            return NextAction::Close;
        }
        let end = idle_since + idle;
        if end > now {
            return NextAction::KeepUntil(end.min(now + write));
        }
        NextAction::Drain(self.begin_drain(now))
    }

    /// Whether the client took too little of its response since the last time.
    fn is_stalled(&mut self, now: Instant) -> bool {
        let bytes_written = self.activity.bytes_written.load(Ordering::Relaxed);
        let caught_up = self.activity.caught_up.load(Ordering::Relaxed);
        let begun = self.stall.filter(|stall| stall.caught_up == caught_up);
        if !self.activity.waits_for_client() {
            self.stall = None;
            return false;
        }
        match begun {
            Some(stall) if now < stall.since + self.timeouts.write => false,
            Some(stall) if bytes_written.saturating_sub(stall.bytes_written) < STALL_BYTES_MIN => {
                true
            }
            _ => {
                self.stall = Some(Stall { since: now, bytes_written, caught_up });
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Activity, ClientTurn, NextAction, OVERHEAD_BYTES_MAX, OVERHEAD_BYTES_PER_REQUEST,
        RESETS_MAX, Timeouts, Watchdog,
    };
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::time::{Instant, advance};

    const SECOND: Duration = Duration::from_secs(1);
    const TIMEOUTS: Timeouts =
        Timeouts { head: SECOND, idle: Duration::from_secs(10), write: Duration::from_secs(5) };

    fn connection() -> (Instant, Arc<Activity>, Watchdog) {
        let start = Instant::now();
        let activity = Activity::new(start);
        (start, activity.clone(), Watchdog::new(activity, TIMEOUTS))
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends_and_a_running_request_stays() {
        let (start, activity, mut watchdog) = connection();
        let end = start + SECOND;
        assert_eq!(watchdog.next_action(start), NextAction::KeepUntil(end));
        assert_eq!(watchdog.next_action(end), NextAction::Close);
        activity.request_started();
        let late = start + SECOND * 100;
        assert_eq!(watchdog.next_action(late), NextAction::KeepUntil(late + TIMEOUTS.write));
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_drained_and_then_closed() {
        let (start, activity, mut watchdog) = connection();
        activity.request_started();
        advance(SECOND * 5).await;
        activity.request_ended(true);
        let until = start + SECOND * 15;
        assert_eq!(watchdog.next_action(start + SECOND * 10), NextAction::KeepUntil(until));
        assert_eq!(watchdog.next_action(until), NextAction::Drain(until + SECOND));
        // A request that was sent before the client saw the shutdown is answered.
        activity.request_started();
        let then = until + SECOND;
        assert_eq!(watchdog.next_action(then), NextAction::KeepUntil(then + TIMEOUTS.write));
        activity.request_ended(true);
        assert_eq!(watchdog.next_action(then), NextAction::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_too_little_is_cut_off() {
        let (start, activity, mut watchdog) = connection();
        activity.request_started();
        let unread = ClientTurn::new(&activity);
        let check = |time: u32| start + SECOND * time;
        assert_eq!(watchdog.next_action(check(1)), NextAction::KeepUntil(check(6)));
        activity.bytes_were_written(20_000);
        assert_eq!(watchdog.next_action(check(6)), NextAction::KeepUntil(check(11)));
        activity.bytes_were_written(1_000);
        assert_eq!(watchdog.next_action(check(11)), NextAction::Close);
        drop(unread);
        // The server's own pauses don't count, nor do responses that were read in between.
        assert_eq!(watchdog.next_action(check(12)), NextAction::KeepUntil(check(17)));
        let first = ClientTurn::new(&activity);
        assert_eq!(watchdog.next_action(check(13)), NextAction::KeepUntil(check(18)));
        drop(first);
        let _second = ClientTurn::new(&activity);
        assert_eq!(watchdog.next_action(check(18)), NextAction::KeepUntil(check(23)));
        assert_eq!(watchdog.next_action(check(23)), NextAction::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_more_than_its_requests_need_is_a_flood() {
        let (_start, activity, _) = connection();
        activity.request_started();
        let bytes = usize::try_from(OVERHEAD_BYTES_MAX + OVERHEAD_BYTES_PER_REQUEST).unwrap();
        activity.bytes_were_read(bytes);
        assert!(!activity.is_flood());
        activity.bytes_were_read(2);
        assert!(activity.is_flood());
        activity.body_bytes_were_read(1);
        assert!(!activity.is_flood(), "a body is no flood");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_resets_most_requests_is_a_flood() {
        let (_start, activity, _) = connection();
        let ask = |times: u64, was_answered| {
            for _ in 0..times {
                activity.request_started();
                activity.request_ended(was_answered);
            }
            activity.is_flood()
        };
        assert!(!ask(RESETS_MAX, false));
        assert!(ask(1, false));
        assert!(!ask(RESETS_MAX, true));
    }
}
