//! Ports of this machine. They are chosen below the range of ephemeral ports, so that an outgoing
//! connection never takes a process's port during its restart.
use anyhow::{Result, bail};
use rand::RngExt;
use std::collections::BTreeMap;
use std::net::{TcpListener, UdpSocket};

const FIRST: u16 = 20_000;
const LAST: u16 = 31_999;
const TRIES_MAX: u32 = 1_000;

/// Whether a port is free now.
pub fn is_free(host: &str, port: u16) -> bool {
    TcpListener::bind((host, port)).is_ok()
}

/// Ports that no other Sukoon of this machine chooses while this value lives. A port is free for a
/// moment whenever its process is restarted; the UDP socket of the same number, which nothing else
/// here uses, says that it is taken all the same.
#[derive(Debug, Default)]
pub struct Reservations(BTreeMap<u16, UdpSocket>);

impl Reservations {
    /// Chooses a free port.
    pub fn choose(&mut self) -> Result<u16> {
        for _ in 0..TRIES_MAX {
            let port = rand::rng().random_range(FIRST..=LAST);
            if self.reserve(port) {
                return Ok(port);
            }
        }
        bail!(
            "no free port was found between {FIRST} and {LAST}; close some programs and try again"
        )
    }

    /// Reserves this port if it is free.
    pub fn reserve(&mut self, port: u16) -> bool {
        if self.0.contains_key(&port) {
            return false;
        }
        let Ok(reservation) = UdpSocket::bind(("127.0.0.1", port)) else { return false };
        let free = is_free("127.0.0.1", port);
        if free {
            self.0.insert(port, reservation);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::time::{Instant, sleep};

    #[test]
    fn chosen_ports_differ_and_lie_below_the_system_s_own() {
        let mut ports = Reservations::default();
        let first = ports.choose().unwrap();
        let second = ports.choose().unwrap();
        assert_ne!(first, second);
        assert!((FIRST..=LAST).contains(&first) && (FIRST..=LAST).contains(&second));
    }

    #[tokio::test]
    async fn a_port_whose_process_is_being_restarted_is_not_chosen_by_others() {
        let (mut ours, mut theirs) = (Reservations::default(), Reservations::default());
        let port = ours.choose().unwrap();
        wait_until(|| is_free("127.0.0.1", port)).await;
        assert!(!theirs.reserve(port));
        drop(ours);
        wait_until(|| theirs.reserve(port)).await;
    }

    /// A process that another test is starting has copies of our sockets until it runs its program.
    async fn wait_until(mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !condition() {
            assert!(Instant::now() < deadline, "the port was not free within a minute");
            sleep(Duration::from_millis(10)).await;
        }
    }

    #[test]
    fn a_port_with_a_listener_is_not_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(!is_free("127.0.0.1", listener.local_addr().unwrap().port()));
    }
}
