//! Addresses for processes that have to be told where to listen.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use rand::RngExt as _;

/// Below the ports that `sukoon` chooses for itself, and those that the system gives to anyone.
const FIRST: u16 = 12_000;
const LAST: u16 = 19_999;
const TRIES_MAX: u32 = 1_000;

/// The UDP sockets of the given ports, which nothing else uses. They mark a port as taken until
/// this process ends, also before its process listens and while it restarts.
static RESERVED: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());

/// An address of this machine that no other test chooses as long as this program runs.
///
/// # Errors
/// When no port is free.
pub fn free_address() -> Result<SocketAddr> {
    for _ in 0..TRIES_MAX {
        let address = SocketAddr::from(([127, 0, 0, 1], rand::rng().random_range(FIRST..=LAST)));
        let Ok(reservation) = UdpSocket::bind(address) else { continue };
        if TcpListener::bind(address).is_ok() {
            RESERVED.lock().unwrap_or_else(PoisonError::into_inner).push(reservation);
            return Ok(address);
        }
    }
    bail!("no port between {FIRST} and {LAST} is free")
}
