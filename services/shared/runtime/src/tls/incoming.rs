//! TLS connections that a server accepts, each with the names on its certificate.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::stream::unfold;
use futures::{Stream, StreamExt as _};
use http::{HeaderValue, Request};
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;
use webpki::EndEntityCert;

use super::{CALLER_CERTIFICATE, Tls};
use crate::scope::carried;

/// How long a handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// How many handshakes run at a time; the next connections wait in the system's queue.
const HANDSHAKES_MAX: usize = 64;
/// How long to wait when the system has no file handles left for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The names on a caller's certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CertificateNames(Arc<str>);

/// A connection of a caller that has shown a certificate of our authority.
pub(crate) struct Connection {
    stream: TlsStream<TcpStream>,
    names: CertificateNames,
}

impl Connected for Connection {
    type ConnectInfo = CertificateNames;

    fn connect_info(&self) -> Self::ConnectInfo {
        self.names.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

/// The connections of a listener after their handshakes, in the order in which those succeed. It
/// ends with the stream.
pub(crate) fn connections(
    listener: TcpListener,
    tls: Tls,
) -> impl Stream<Item = io::Result<Connection>> {
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(carried(accept(listener, tls, sender)));
    unfold(receiver, async |mut receiver| Some((receiver.recv().await?, receiver)))
}

/// The connections for a server of HTTP.
pub(crate) struct Listener {
    connections: Pin<Box<dyn Stream<Item = io::Result<Connection>> + Send>>,
    address: SocketAddr,
}

impl Listener {
    /// Accepts the connections of a listener.
    ///
    /// # Errors
    /// The system does not tell its address.
    pub(crate) fn new(listener: TcpListener, tls: Tls) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self { connections: Box::pin(connections(listener, tls)), address })
    }
}

impl axum::serve::Listener for Listener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        match self.connections.next().await {
            Some(Ok(connection)) => (connection, self.address),
            // It ends with its listener only.
            Some(Err(_)) | None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn accept(listener: TcpListener, tls: Tls, sender: mpsc::Sender<io::Result<Connection>>) {
    let places = Arc::new(Semaphore::new(HANDSHAKES_MAX));
    loop {
        // It is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let accepted = tokio::select! {
            () = sender.closed() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _address)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (tls, sender) = (tls.clone(), sender.clone());
        tokio::spawn(carried(async move {
            let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake(stream, &tls)).await;
            drop(place);
            match handshake {
                // A stream that has ended takes no more of them.
                Ok(Ok(connection)) => drop(sender.send(Ok(connection)).await),
                Ok(Err(error)) => tracing::warn!(%error, "a caller's handshake failed"),
                Err(_elapsed) => tracing::warn!("a caller's handshake took too long"),
            }
        }));
    }
}

async fn handshake(stream: TcpStream, tls: &Tls) -> io::Result<Connection> {
    stream.set_nodelay(true)?;
    let stream = TlsAcceptor::from(tls.configs().server).accept(stream).await?;
    let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    let names = CertificateNames(shown.map(names).unwrap_or_default().into());
    Ok(Connection { stream, names })
}

fn names(certificate: &CertificateDer<'_>) -> String {
    let Ok(certificate) = EndEntityCert::try_from(certificate) else { return String::new() };
    certificate.valid_dns_names().collect::<Vec<_>>().join(",")
}

/// Puts the names on the caller's certificate into the metadata, where `Peers` compares them with
/// the token. It replaces what the caller has put there.
pub(crate) fn note_certificate<B>(mut request: Request<B>) -> Request<B> {
    request.headers_mut().remove(CALLER_CERTIFICATE);
    let names = request.extensions().get::<CertificateNames>().cloned();
    if let Some(CertificateNames(names)) = names {
        // Names have no characters that a header may not have; none at all matches no caller.
        let value = HeaderValue::from_str(&names).unwrap_or(HeaderValue::from_static(""));
        request.headers_mut().insert(CALLER_CERTIFICATE, value);
    }
    request
}
