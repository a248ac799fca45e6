//! From a webhook to the confirmation in the mail server's hands, at 10 payments in a second: the
//! `payment.captured` webhook is stored, folded and reported to booking, which confirms, requests a
//! meeting room and triggers notifications, which reads name and address and speaks SMTP. Both ends
//! are read from the databases' one clock: when payments wrote the webhook down, and when
//! notifications wrote down that the server has taken the mail.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde_json::json;
use system::{Customer, Practice};
use testkit::until_within;
use uuid::Uuid;

use crate::callers::expect_ok;
use crate::environment::{Environment, Hours, RunningSystem, address_of};
use crate::figure::{Figure, Unit};
use crate::http_client::HttpClient;
use crate::load_generator::{Caller, open_loop};
use crate::request_pool::rfc3339;
use crate::samples::{Samples, millis};
use crate::timetable::SERVICE;

const PER_SECOND: u32 = 10;
const PAYMENTS: usize = 200;
/// How many pay before it is measured.
const WARM_UP: usize = 20;
/// How many orders are made at once beforehand.
const ORDERING: usize = 8;
/// How long the last confirmation may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Where a connection takes its next order from.
type Orders = Arc<Mutex<Vec<String>>>;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    complete(running, "warm", WARM_UP).await?;
    let waits = complete(running, "paid", PAYMENTS).await?;
    let title = "webhook received → confirmation at SMTP, p99";
    let figure = Figure::absolute(title, Unit::Millis, millis(waits.p99()), (300.0, 150.0));
    let note = format!(
        "{} payments at {PER_SECOND}/s; p50 {:.1} ms, the longest {:.1} ms",
        waits.len(),
        millis(waits.p50()),
        millis(waits.longest())
    );
    Ok(vec![figure.noting(note)])
}

/// Books so often, pays and waits for every confirmation; returns how long each of these took from
/// its webhook. No two calls may have the same name.
///
/// # Errors
/// When a call is refused or a confirmation does not come.
pub(crate) async fn complete(running: &RunningSystem, name: &str, count: usize) -> Result<Samples> {
    let orders = orders(running, name, count).await?;
    pay(running, &orders).await?;
    confirmed(&running.practice, &orders).await
}

/// Bookings whose order waits to be paid: the order's id with the booking's.
async fn orders(running: &RunningSystem, name: &str, count: usize) -> Result<Vec<(String, Uuid)>> {
    let request_pool = running.request_pool()?;
    let order = |number: usize| {
        let (request_pool, key) = (Arc::clone(&request_pool), format!("{name}-{number:05}"));
        async move {
            let customer = Customer::with_issued_token(&running.practice, &running.issuer, "Asha")?;
            let id = customer.hold(SERVICE, &rfc3339(request_pool.time()?), &key).await?;
            let order = customer.order(&id).await?;
            anyhow::Ok((order, id.trim_start_matches("bkg_").parse::<Uuid>()?))
        }
    };
    stream::iter(0..count).map(order).buffer_unordered(ORDERING).try_collect().await
}

/// A client that pays at the provider.
struct Payer {
    http: HttpClient,
    host: SocketAddr,
    orders: Orders,
}

impl Caller for Payer {
    async fn call(&mut self) -> Result<()> {
        let order = self.orders.lock().ok().and_then(|mut orders| orders.pop());
        let body = json!({ "order_id": order.context("no order is left")?, "method": "upi" });
        let body = body.to_string();
        let request = format!(
            "POST /api/pay HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        expect_ok(&self.http.send(request.as_bytes()).await?)?;
        Ok(())
    }
}

/// Pays them at the rate that is measured.
async fn pay(running: &RunningSystem, orders: &[(String, Uuid)]) -> Result<()> {
    let host = address_of(&running.practice.sandbox)?;
    let ids: Vec<String> = orders.iter().map(|(order, _booking)| order.clone()).collect();
    let ids: Orders = Arc::new(ids.into());
    let mut payers = Vec::new();
    for _ in 0..4 {
        let orders = Arc::clone(&ids);
        payers.push(Payer { http: HttpClient::open(host).await?, host, orders });
    }
    open_loop(&mut payers, PER_SECOND, u32::try_from(orders.len())?).await?;
    Ok(())
}

/// Waits until each has its confirmation, and returns how long each took from its webhook.
async fn confirmed(practice: &Practice, orders: &[(String, Uuid)]) -> Result<Samples> {
    let bookings: Vec<Uuid> = orders.iter().map(|(_order, booking)| *booking).collect();
    let mut notifications = practice.database("notifications").await?;
    // Microseconds since 1970.
    let sent: Vec<(Uuid, i64)> = until_within(TIMEOUT, "every confirmation is sent", async || {
        let sent: Vec<(Uuid, i64)> = sqlx::query_as(
            "select booking_id, (extract(epoch from sent_at) * 1e6)::bigint from mails
             where kind = 'booking_confirmed' and state = 'sent' and booking_id = any ($1)",
        )
        .bind(&bookings)
        .fetch_all(&mut notifications)
        .await?;
        Ok((sent.len() == bookings.len()).then_some(sent))
    })
    .await?;
    let sent: HashMap<Uuid, i64> = sent.into_iter().collect();
    let mut payments = practice.database("payments").await?;
    let received: Vec<(String, i64)> = sqlx::query_as(
        "select body #>> '{payload,payment,entity,order_id}',
                (extract(epoch from min(received_at)) * 1e6)::bigint
         from (select received_at, convert_from(raw, 'utf8')::jsonb as body
               from webhook_inbox) hooks
         where body ->> 'event' = 'payment.captured'
         group by 1",
    )
    .fetch_all(&mut payments)
    .await?;
    let received: HashMap<String, i64> = received.into_iter().collect();
    let mut waits = Samples::default();
    for (order, booking) in orders {
        let began = received.get(order).context("a payment was told by no webhook")?;
        let ended = sent.get(booking).context("a booking has no confirmation")?;
        // The books are the same clock's, so an end before its begin is a wrong measurement.
        let wait = u64::try_from(ended - began).context("it was confirmed before it was told")?;
        waits.push(Duration::from_micros(wait));
    }
    ensure!(waits.len() == orders.len(), "a confirmation is missing");
    Ok(waits)
}
