//! An address that stays while what is behind it changes, as a Service of Kubernetes is one: a TCP
//! relay that can be switched, held and cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How much is passed on at once, in bytes.
const CHUNK: usize = 16 * 1024;

/// Where connections lead.
#[derive(Debug, Clone, Default)]
struct Route {
    targets: Vec<SocketAddr>,
    /// Connections of an earlier number have been cut.
    epoch: u64,
    /// Whether nothing is passed on.
    is_held: bool,
}

/// A relay; it ends, and its connections with it, when this value is dropped.
pub(crate) struct Relay {
    route: watch::Sender<Route>,
    port: u16,
    accepting: JoinHandle<()>,
}

impl Relay {
    /// Listens at this port of the machine; 0 is a free one. It leads nowhere yet.
    ///
    /// # Errors
    /// When the port is taken.
    pub(crate) async fn listen(port: u16) -> Result<Self> {
        let listener = TcpListener::bind(local(port)).await;
        let listener = listener.with_context(|| format!("a relay listens at {port}"))?;
        let port = listener.local_addr()?.port();
        let route = watch::Sender::new(Route::default());
        let accepting = tokio::spawn(accept(listener, route.clone()));
        Ok(Self { route, port, accepting })
    }

    /// Where it listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Leads new connections to one of these ports, in turn, and to another where one refuses.
    /// Those that there are stay.
    pub(crate) fn lead_to(&self, ports: &[u16]) {
        let targets = ports.iter().map(|port| local(*port)).collect();
        self.route.send_modify(|route| route.targets = targets);
    }

    /// Leads new connections to this port, too.
    pub(crate) fn lead_also_to(&self, port: u16) {
        self.route.send_modify(|route| route.targets.push(local(port)));
    }

    /// Closes every connection, with what it has not passed on.
    pub(crate) fn cut(&self) {
        self.route.send_modify(|route| route.epoch += 1);
    }

    /// Passes nothing on until it is cut or released, as a network that has become slow.
    pub(crate) fn hold(&self, is_held: bool) {
        self.route.send_modify(|route| route.is_held = is_held);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

async fn accept(listener: TcpListener, route: watch::Sender<Route>) {
    let turn = Arc::new(AtomicUsize::new(0));
    loop {
        // Without free descriptors nothing is accepted; the client tries again.
        let Ok((client, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let (route, turn) = (route.subscribe(), Arc::clone(&turn));
        tokio::spawn(async move {
            let epoch = route.borrow().epoch;
            let mut cut = route.clone();
            let passing = pass(client, route, turn.fetch_add(1, Ordering::Relaxed));
            tokio::select! {
                _ended = passing => {}
                _cut = cut.wait_for(|route| route.epoch != epoch) => {}
            }
        });
    }
}

/// Passes on what either side says until one of them ends.
async fn pass(client: TcpStream, route: watch::Receiver<Route>, turn: usize) -> Result<()> {
    let targets = route.borrow().targets.clone();
    let first = turn % targets.len().max(1);
    let mut server = None;
    for target in targets.iter().skip(first).chain(targets.iter().take(first)) {
        if let Ok(connected) = TcpStream::connect(target).await {
            server = Some(connected);
            break;
        }
    }
    let server = server.context("nothing answers behind the relay")?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) =
        (client.into_split(), server.into_split());
    let there = pump(from_client, to_server, route.clone());
    let back = pump(from_server, to_client, route);
    tokio::try_join!(there, back)?;
    Ok(())
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut route: watch::Receiver<Route>,
) -> Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = from.read(&mut chunk).await?;
        route.wait_for(|route| !route.is_held).await?;
        if length == 0 {
            to.shutdown().await?;
            return Ok(());
        }
        to.write_all(chunk.get(..length).unwrap_or_default()).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers each connection with its own letter.
    async fn server(letter: u8) -> u16 {
        let listener = TcpListener::bind(local(0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let mut asked = [0];
                    while client.read_exact(&mut asked).await.is_ok() {
                        client.write_all(&[letter]).await.unwrap();
                    }
                });
            }
        });
        port
    }

    async fn ask(client: &mut TcpStream) -> Option<u8> {
        let mut answer = [0];
        client.write_all(b"?").await.ok()?;
        client.read_exact(&mut answer).await.ok()?;
        Some(answer[0])
    }

    #[tokio::test]
    async fn new_connections_go_where_it_leads_and_old_ones_stay_until_they_are_cut() {
        let (first, second) = (server(b'a').await, server(b'b').await);
        let relay = Relay::listen(0).await.unwrap();
        relay.lead_to(&[first]);
        let mut old = TcpStream::connect(local(relay.port())).await.unwrap();
        assert_eq!(ask(&mut old).await, Some(b'a'));
        relay.lead_to(&[second]);
        let mut new = TcpStream::connect(local(relay.port())).await.unwrap();
        assert_eq!((ask(&mut old).await, ask(&mut new).await), (Some(b'a'), Some(b'b')));
        relay.cut();
        assert_eq!(ask(&mut old).await, None);
    }

    #[tokio::test]
    async fn what_is_held_when_it_is_cut_never_arrives() {
        let port = server(b'a').await;
        let relay = Relay::listen(0).await.unwrap();
        relay.lead_to(&[port]);
        let mut client = TcpStream::connect(local(relay.port())).await.unwrap();
        assert_eq!(ask(&mut client).await, Some(b'a'));
        relay.hold(true);
        client.write_all(b"?").await.unwrap();
        relay.cut();
        let mut answer = [0];
        assert!(client.read_exact(&mut answer).await.is_err());
    }

    #[tokio::test]
    async fn a_target_that_refuses_is_passed_over() {
        let alive = server(b'a').await;
        let dead = TcpListener::bind(local(0)).await.unwrap().local_addr().unwrap().port();
        let relay = Relay::listen(0).await.unwrap();
        relay.lead_to(&[dead, alive]);
        for _turn in 0..4 {
            let mut client = TcpStream::connect(local(relay.port())).await.unwrap();
            assert_eq!(ask(&mut client).await, Some(b'a'));
        }
    }
}
