//! The callers of the practice, each of which can recognise a right answer.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use contract::booking::v1::booking_service_client::BookingServiceClient;
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use crate::environment::RunningSystem;
use crate::http_client::{HttpClient, Reply, call};
use crate::load_generator::Caller;
use crate::request_pool::{BookingRequest, RequestPool};

/// The call that books.
pub(crate) const REQUEST: &str = "booking.v1.BookingService/RequestBooking";

/// A caller that repeats one read.
#[derive(Debug)]
pub(crate) struct Reader {
    http: HttpClient,
    request: Arc<[u8]>,
    bytes: Option<usize>,
}

impl Reader {
    /// So many readers of one request, on a connection each. Where it does not change with time,
    /// all answers must be as long as the first one.
    ///
    /// # Errors
    /// When the first answer is none.
    pub(crate) async fn all(
        host: SocketAddr,
        (request, changes): (&[u8], bool),
        count: usize,
    ) -> Result<Vec<Self>> {
        let request: Arc<[u8]> = request.into();
        let mut first = HttpClient::open(host).await?;
        let bytes = expect_ok(&first.send(&request).await?)?.len();
        ensure!(bytes > 0, "an answer is empty");
        let bytes = (!changes).then_some(bytes);
        let mut readers = vec![Self { http: first, request: Arc::clone(&request), bytes }];
        while readers.len() < count {
            let http = HttpClient::open(host).await?;
            readers.push(Self { http, request: Arc::clone(&request), bytes });
        }
        Ok(readers)
    }
}

impl Caller for Reader {
    async fn call(&mut self) -> Result<()> {
        let reply = self.http.send(&self.request).await?;
        let bytes = expect_ok(&reply)?.len();
        let is_right = self.bytes.map_or(bytes > 0, |expected| bytes == expected);
        ensure!(is_right, "an answer had {bytes} bytes instead of {:?}", self.bytes);
        Ok(())
    }
}

/// The content of an answer that is one.
///
/// # Errors
/// When it says anything but 200; what it says is in the error.
pub(crate) fn expect_ok(reply: &Reply) -> Result<&[u8]> {
    if reply.status == 200 {
        return Ok(&reply.body);
    }
    let said: String = String::from_utf8_lossy(&reply.body).chars().take(300).collect();
    bail!("{} {said}", reply.status)
}

/// A caller that books through the gateway, a new start time with each call.
#[derive(Debug)]
pub(crate) struct Booker {
    http: HttpClient,
    host: SocketAddr,
    request_pool: Arc<RequestPool>,
}

impl Booker {
    /// So many, on a connection each.
    ///
    /// # Errors
    /// When the gateway does not listen.
    pub(crate) async fn all(running: &RunningSystem, count: usize) -> Result<Vec<Self>> {
        Self::at(running.gateway, &running.request_pool()?, count).await
    }

    /// So many at this gateway, with requests of this pool.
    ///
    /// # Errors
    /// When the gateway does not listen.
    pub(crate) async fn at(
        host: SocketAddr,
        request_pool: &Arc<RequestPool>,
        count: usize,
    ) -> Result<Vec<Self>> {
        let mut bookers = Vec::with_capacity(count);
        for _ in 0..count {
            let request_pool = Arc::clone(request_pool);
            bookers.push(Self { http: HttpClient::open(host).await?, host, request_pool });
        }
        Ok(bookers)
    }
}

impl Caller for Booker {
    async fn call(&mut self) -> Result<()> {
        let booking = self.request_pool.take()?;
        let request = call(self.host, REQUEST, &booking.token, &booking.json());
        let reply = self.http.send(&request).await?;
        expect_ok(&reply).context("a time that is free was refused")?;
        self.request_pool.record_accepted();
        Ok(())
    }
}

/// A caller that books at the service itself, as the gateway does.
#[derive(Debug, Clone)]
pub(crate) struct DirectBooker {
    client: BookingServiceClient<Channel>,
}

impl DirectBooker {
    /// At this address; it connects with the first call.
    ///
    /// # Errors
    /// When the address is none.
    pub(crate) fn new(booking: SocketAddr) -> Result<Self> {
        Ok(Self { client: direct(booking)? })
    }

    /// Books.
    ///
    /// # Errors
    /// When the time is refused.
    pub(crate) async fn book(&mut self, booking: &BookingRequest) -> Result<()> {
        let request = signed(booking.message(), &booking.token)?;
        let answer = self.client.request_booking(request).await?.into_inner();
        ensure!(answer.booking.is_some(), "a booking was promised and not told");
        Ok(())
    }
}

/// A client of booking without the gateway.
///
/// # Errors
/// When the address is none.
pub(crate) fn direct(booking: SocketAddr) -> Result<BookingServiceClient<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{booking}"))?.tcp_nodelay(true);
    Ok(BookingServiceClient::new(endpoint.connect_lazy()))
}

/// A request with the token's account as the caller.
///
/// # Errors
/// When the token is no header.
pub(crate) fn signed<M>(message: M, token: &str) -> Result<Request<M>> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    Ok(request)
}
