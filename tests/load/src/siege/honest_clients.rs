//! The honest clients: each reads a page, looks for a time, books it and begins to pay, with the
//! pauses of a person who reads.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::join_all;
use serde_json::{Value, json};
use system::{Practice, TokenIssuer};
use tokio::time::{Instant, sleep};

use crate::callers::{REQUEST, expect_ok};
use crate::figures::reads::{connect_get, slot_list};
use crate::http_client::{HttpClient, call, get};
use crate::request_pool::RequestPool;
use crate::samples::Samples;

/// The clients behind one address, as many phones of a mobile network are.
const TOGETHER: usize = 200;
const THEIR_ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
/// The clients with an address of their own.
const APART: u8 = 20;
/// What a person reads before the next step.
const PAUSE: Duration = Duration::from_secs(1);
/// The calls of a journey.
const CALLS: u32 = 5;
/// The journeys of all runs, with some to spare for the recovery.
const JOURNEYS: usize = 3000;

/// What came of all journeys of a run.
#[derive(Default)]
pub(super) struct Journeys {
    /// How long each call took.
    pub(super) waits: Samples,
    /// Why calls failed.
    pub(super) refusals: Vec<String>,
}

/// All honest clients.
pub(super) struct HonestClients {
    requests: Arc<RequestPool>,
}

impl HonestClients {
    /// With an account and a time for each journey.
    ///
    /// # Errors
    /// When tokens cannot be made.
    pub(super) async fn new(practice: &Practice, issuer: &TokenIssuer) -> Result<Self> {
        let requests = RequestPool::new(practice).await?;
        requests.refill(issuer, JOURNEYS)?;
        Ok(Self { requests: Arc::new(requests) })
    }

    /// Lets each client make one journey within so long.
    ///
    /// # Errors
    /// When there are too few times. Calls that fail are no errors.
    pub(super) async fn run(
        &self,
        gateway: SocketAddr,
        head_start: Duration,
        length: Duration,
    ) -> Result<Journeys> {
        let apart = (1..=APART).map(|number| Ipv4Addr::new(127, 0, 3, number));
        let sources: Vec<_> = std::iter::repeat_n(THEIR_ADDRESS, TOGETHER).chain(apart).collect();
        let time_to_start = length.saturating_sub(PAUSE * CALLS);
        let gap = time_to_start / u32::try_from(sources.len())?;
        let journeys = sources.into_iter().zip(0_u32..).map(|(source, number)| async move {
            wait_out(head_start + gap * number).await;
            let mut journeys = Journeys::default();
            let made = self.journey((source, gateway), &mut journeys.waits).await;
            journeys.refusals.extend(made.err().map(|error| format!("{source}: {error:#}")));
            journeys
        });
        let mut all = Journeys::default();
        for one in join_all(journeys).await {
            all.waits.absorb(one.waits);
            all.refusals.extend(one.refusals);
        }
        Ok(all)
    }

    /// Whether a journey succeeds now.
    pub(super) async fn one_is_served(&self, gateway: SocketAddr) -> bool {
        let mut http = HttpClient::open_from(THEIR_ADDRESS, gateway).await.ok();
        let page = get(gateway, "/", "");
        match &mut http {
            Some(http) => http.send(&page).await.is_ok_and(|reply| reply.status == 200),
            None => false,
        }
    }

    async fn journey(
        &self,
        (source, gateway): (Ipv4Addr, SocketAddr),
        waits: &mut Samples,
    ) -> Result<()> {
        let booking = self.requests.take()?;
        let mut client = Client { http: None, source, gateway, waits };
        client.call("the page", &get(gateway, "/", "accept-encoding: gzip\r\n")).await?;
        let services = connect_get("catalogue.v1.CatalogueService/ListServices", "%7B%7D");
        client.call("the services", &get(gateway, &services, "")).await?;
        client.call("the times", &slot_list(gateway)).await?;
        let request = call(gateway, REQUEST, &booking.token, &booking.json());
        let held = client.call("the booking", &request).await?;
        let held: Value = serde_json::from_slice(&held)?;
        let id = held.pointer("/booking/bookingId").and_then(Value::as_str);
        let id = id.context("no booking was told")?;
        let body = json!({ "bookingId": id, "idempotencyKey": format!("pay-{id}") }).to_string();
        let pay = call(gateway, "payments.v1.PaymentsService/StartPayment", &booking.token, &body);
        client.call("the payment", &pay).await?;
        Ok(())
    }
}

/// The pace of a client.
async fn wait_out(pause: Duration) {
    sleep(pause).await;
}

struct Client<'a> {
    http: Option<HttpClient>,
    source: Ipv4Addr,
    gateway: SocketAddr,
    waits: &'a mut Samples,
}

impl Client<'_> {
    /// Makes a call, and pauses. Its time begins before it connects.
    async fn call(&mut self, name: &'static str, request: &[u8]) -> Result<Vec<u8>> {
        let since = Instant::now();
        let http = match &mut self.http {
            Some(http) => http,
            None => self.http.insert(HttpClient::open_from(self.source, self.gateway).await?),
        };
        let reply = http.send(request).await.context(name)?;
        self.waits.push(since.elapsed());
        let body = expect_ok(&reply).context(name)?.to_vec();
        wait_out(PAUSE).await;
        Ok(body)
    }
}
