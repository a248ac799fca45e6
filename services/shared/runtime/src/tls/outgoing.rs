//! TLS connections to other services.

use std::io;

use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Tls;

/// The port of addresses without one.
const PORT: u16 = 443;

/// Connects to a server, shows the own certificate, and checks the name on the server's.
///
/// # Errors
/// When it cannot be reached, or its certificate is not of our authority or of another name.
pub(crate) async fn connect(tls: Tls, uri: Uri) -> io::Result<TokioIo<TlsStream<TcpStream>>> {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
    let stream = TcpStream::connect((host, uri.port_u16().unwrap_or(PORT))).await?;
    stream.set_nodelay(true)?;
    let stream = TlsConnector::from(tls.configs().client).connect(name, stream).await?;
    Ok(TokioIo::new(stream))
}
