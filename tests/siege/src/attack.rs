//! Attacks of one kind, bounded in connections and time.

use std::collections::BTreeMap;
use std::io::Result;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use crate::kinds::{Expected, Kind, Prey};

/// The pause before a connection that was closed is opened again.
const REOPEN_PAUSE: Duration = Duration::from_millis(100);
/// What a client that does not read receives at most.
const SMALL_BUFFER: u32 = 4096;
/// The longest attack: whatever an attacker does, it ends.
const LENGTH_MAX: Duration = Duration::from_secs(300);

/// Where and how long to attack.
#[derive(Clone, Debug)]
pub struct Attack {
    /// Whom.
    pub target: SocketAddr,
    /// From where.
    pub source: Ipv4Addr,
    /// What is known of the target.
    pub prey: Prey,
    /// Connections at once.
    pub connections: usize,
    /// How often each is opened at most.
    pub openings_max: u32,
    /// For how long, at most.
    pub length: Duration,
}

/// What came of an attack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Connections that were opened.
    pub opened: u64,
    /// Those of them that the other side closed.
    pub closed: u64,
    /// Connections that were not opened.
    pub failed: u64,
    /// Responses by their status; HTTP/1.1 only.
    pub statuses: BTreeMap<u16, u64>,
}

/// An attack that goes on; it ends with this value.
#[derive(Debug)]
pub struct RunningAttack {
    kind: &'static Kind,
    attackers: JoinSet<()>,
    outcome: Arc<Mutex<Outcome>>,
}

impl RunningAttack {
    /// What came of it so far.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether the attackers have met what is to stop them.
    #[must_use]
    pub fn was_met(&self) -> bool {
        let outcome = self.outcome();
        match self.kind.expected {
            Expected::CutOff => outcome.closed > 0,
            Expected::Status(status) => outcome.statuses.contains_key(&status),
            Expected::Nothing => outcome.opened > 0,
        }
    }

    /// Waits until the time is over or each connection was opened often enough.
    pub async fn wait(mut self) -> Outcome {
        while self.attackers.join_next().await.is_some() {}
        self.outcome()
    }
}

/// Begins an attack. It ends when the time is over or each connection was opened often enough.
#[must_use]
pub fn start(kind: &'static Kind, attack: Attack) -> RunningAttack {
    let outcome = Arc::new(Mutex::new(Outcome::default()));
    let end = Instant::now() + attack.length.min(LENGTH_MAX);
    let attack = Arc::new(attack);
    let mut attackers = JoinSet::new();
    for _ in 0..attack.connections {
        let (attack, outcome) = (attack.clone(), outcome.clone());
        attackers.spawn(async move {
            // The time may be over in the middle of anything.
            timeout_at(end, repeat(kind, &attack, &outcome)).await.ok();
        });
    }
    RunningAttack { kind, attackers, outcome }
}

async fn repeat(kind: &Kind, attack: &Attack, outcome: &Mutex<Outcome>) {
    for _ in 0..attack.openings_max {
        match connect(kind, attack).await {
            Ok(stream) => {
                count(outcome, |outcome| outcome.opened = outcome.opened.saturating_add(1));
                use_until_closed(kind, attack, stream, outcome).await;
                count(outcome, |outcome| outcome.closed = outcome.closed.saturating_add(1));
            }
            Err(_refused) => {
                count(outcome, |outcome| outcome.failed = outcome.failed.saturating_add(1));
            }
        }
        wait_out(REOPEN_PAUSE).await;
    }
}

async fn connect(kind: &Kind, attack: &Attack) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::from((attack.source, 0)))?;
    if !kind.reads {
        socket.set_recv_buffer_size(SMALL_BUFFER)?;
    }
    socket.connect(attack.target).await
}

async fn use_until_closed(
    kind: &Kind,
    attack: &Attack,
    stream: TcpStream,
    outcome: &Mutex<Outcome>,
) {
    let (read, write) = stream.into_split();
    let sending = send(kind, attack, write);
    if kind.reads {
        // Whatever ends first: the other side closes, or nothing can be sent any more.
        tokio::select! {
            () = read_statuses(read, outcome) => {}
            () = sending => {}
        }
    } else {
        let _unread = read;
        sending.await;
    }
}

/// Sends until it fails; a client that only waits never ends by itself, and neither does one that
/// reads, because the response comes after what it sends.
async fn send(kind: &Kind, attack: &Attack, mut write: OwnedWriteHalf) {
    let started = write.write_all(&(kind.start)(&attack.prey)).await;
    if let (Ok(()), Some((piece, pause))) = (started, kind.piece) {
        let mut turn = 0_u32;
        loop {
            let bytes = piece(&attack.prey, turn);
            let is_last = bytes.is_empty() && pause.is_zero();
            if is_last || write.write_all(&bytes).await.is_err() {
                return;
            }
            turn = turn.wrapping_add(1);
            if !pause.is_zero() {
                wait_out(pause).await;
            }
        }
    }
    // The end is seen by reading.
    wait_out(LENGTH_MAX).await;
}

/// The pace of an attack.
async fn wait_out(pause: Duration) {
    sleep(pause).await;
}

async fn read_statuses(mut read: OwnedReadHalf, outcome: &Mutex<Outcome>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = read.read(&mut bytes).await {
        for status in statuses(bytes.get(..length).unwrap_or_default()) {
            count(outcome, |outcome| {
                let count = outcome.statuses.entry(status).or_default();
                *count = count.saturating_add(1);
            });
        }
    }
}

/// The statuses of the responses that begin in these bytes.
fn statuses(bytes: &[u8]) -> Vec<u16> {
    const START: &[u8] = b"HTTP/1.1 ";
    let starts = bytes.windows(START.len() + 3).filter(|window| window.starts_with(START));
    let text = starts.filter_map(|window| std::str::from_utf8(window.get(START.len()..)?).ok());
    text.filter_map(|status| status.parse().ok()).collect()
}

fn count(outcome: &Mutex<Outcome>, change: impl FnOnce(&mut Outcome)) {
    change(&mut outcome.lock().unwrap_or_else(PoisonError::into_inner));
}

#[cfg(test)]
mod tests {
    use super::statuses;

    #[test]
    fn statuses_of_responses_are_found() {
        let bytes = b"HTTP/1.1 200 OK\r\n\r\nhelloHTTP/1.1 429 Too Many\r\n\r\nHTTP/1.1 4";
        assert_eq!(statuses(bytes), [200, 429]);
    }
}
