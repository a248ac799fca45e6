//! The ports of a service that is reached by gRPC and by HTTP.

use std::net::SocketAddr;

use runtime::Shutdown;
use runtime::server::{self, Server};
use tokio::net::TcpListener;

/// Both ports, bound and not served yet: a port in use is noticed before anything else starts.
pub struct Ports {
    /// The port of gRPC.
    pub grpc: Server,
    /// The port of HTTP.
    pub http: TcpListener,
}

impl Ports {
    /// Binds them.
    ///
    /// # Errors
    /// One is in use, or not an address of this machine.
    pub async fn bind(
        grpc: SocketAddr,
        http: SocketAddr,
        shutdown: &Shutdown,
    ) -> Result<Self, server::Error> {
        Ok(Self { grpc: Server::bind(grpc, shutdown).await?, http: server::listen(http).await? })
    }

    /// Where gRPC and HTTP are served; tests ask for port 0 and need to know.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn addresses(&self) -> std::io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.grpc.address()?, self.http.local_addr()?))
    }
}
