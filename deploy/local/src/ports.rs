//! Ports of this machine. They are chosen below the range of ephemeral ports, so that an outgoing
//! connection never takes a process's port during its restart.
use anyhow::{Result, bail};
use rand::Rng;
use std::collections::BTreeSet;
use std::net::TcpListener;

const FIRST: u16 = 20_000;
const LAST: u16 = 31_999;
const TRIES_MAX: u32 = 1_000;

/// Whether a port is free now.
pub(crate) fn is_free(host: &str, port: u16) -> bool {
    TcpListener::bind((host, port)).is_ok()
}

/// Chooses a free port that is not chosen yet.
pub(crate) fn choose(taken: &mut BTreeSet<u16>) -> Result<u16> {
    for _ in 0..TRIES_MAX {
        let port = rand::rng().random_range(FIRST..=LAST);
        if !taken.contains(&port) && is_free("127.0.0.1", port) {
            taken.insert(port);
            return Ok(port);
        }
    }
    bail!("no free port was found between {FIRST} and {LAST}; close some programs and try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_ports_differ_and_lie_below_the_system_s_own() {
        let mut taken = BTreeSet::new();
        let first = choose(&mut taken).unwrap();
        let second = choose(&mut taken).unwrap();
        assert_ne!(first, second);
        assert!((FIRST..=LAST).contains(&first) && (FIRST..=LAST).contains(&second));
    }

    #[test]
    fn a_port_with_a_listener_is_not_free() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(!is_free("127.0.0.1", listener.local_addr().unwrap().port()));
    }
}
