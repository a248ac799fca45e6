//! Measures whether a mail server that refuses everything slows bookings: the time of
//! `RequestBooking` while it refuses and while it accepts, alternating in one run, with mails being
//! sent. `make bench` prints the medians; the run fails when their ratio is above 1.15.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark measures time, speaks to a person and ends where it cannot go on"
)]

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use system::forms::send_message;
use system::practice::RAISED_LIMITS;
use system::{Customer, Practice, TokenIssuer};
use testkit::until;

/// Calls measured of each, after a tenth as many to warm up.
const ROUNDS: usize = 240;
/// The highest allowed ratio of the medians, in hundredths.
const HUNDREDTHS_MAX: u128 = 115;
const SERVICE: &str = "general-consultation";

/// The state of the mail server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    Answers,
    Refuses,
}

/// The benchmark's practice and client.
struct Bench<'p> {
    practice: &'p Practice,
    issuer: TokenIssuer,
    count: usize,
}

impl Bench<'_> {
    async fn set(&self, server: Server) -> Result<()> {
        let url = format!("{}/api/faults", self.practice.sandbox);
        self.practice.http.delete(url).send().await?.error_for_status()?;
        if server == Server::Refuses {
            let fault = json!({ "target": "smtp", "kind": "refuse", "times": 0 });
            self.practice.sandbox_post("/api/faults", &fault).await?;
        }
        Ok(())
    }

    /// Measures one `RequestBooking` while mails are being accepted or refused.
    async fn measure(&mut self, server: Server) -> Result<Duration> {
        self.set(server).await?;
        self.count += 1;
        let customer = Customer::with_issued_token(self.practice, &self.issuer, "Measured")?;
        let starts = customer.free_starts(SERVICE).await?;
        let start = starts.get(self.count % starts.len().max(1)).context("no free time")?;
        let request = customer.request(SERVICE, start, &format!("measured-{}", self.count));
        // Two more mails, in either state.
        send_message(self.practice, &customer.email, "Is there a session in the evening?")
            .await?
            .ok()?;
        let began = Instant::now();
        let answer =
            customer.call_once("booking.v1.BookingService/RequestBooking", &request).await?;
        let taken = began.elapsed();
        let booking = answer.ok()?;
        let id = booking["booking"]["bookingId"].as_str().context("no booking")?;
        customer.release(id).await?;
        Ok(taken)
    }
}

fn median(mut times: Vec<Duration>) -> Result<Duration> {
    times.sort_unstable();
    times.get(times.len() / 2).copied().context("nothing was measured")
}

/// Fails unless mails were both refused and accepted during the run.
async fn both_happened(practice: &Practice) -> Result<()> {
    let mut database = practice.database("notifications").await?;
    until("mails were taken and refused", async || {
        let sql = "select count(*) filter (where state = 'sent'),
                          count(*) filter (where attempts > 1 or state = 'retrying') from mails";
        let (sent, again): (i64, i64) = sqlx::query_as(sql).fetch_one(&mut database).await?;
        Ok((sent > 0 && again > 0).then_some(()))
    })
    .await
}

#[tokio::main]
async fn main() -> Result<()> {
    let practice = Practice::start(&RAISED_LIMITS).await?;
    let issuer = TokenIssuer::of(&practice).await?;
    let mut bench = Bench { practice: &practice, issuer, count: 0 };
    let (mut answers, mut refuses) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + ROUNDS / 10 {
        // Each state comes first in half of the rounds.
        let order = match round % 2 {
            0 => [Server::Answers, Server::Refuses],
            _ => [Server::Refuses, Server::Answers],
        };
        for server in order {
            let taken = bench.measure(server).await?;
            match server {
                _ if round < ROUNDS / 10 => {}
                Server::Answers => answers.push(taken),
                Server::Refuses => refuses.push(taken),
            }
        }
    }
    both_happened(&practice).await?;
    let (answers, refuses) = (median(answers)?, median(refuses)?);
    let hundredths = refuses.as_nanos() * 100 / answers.as_nanos().max(1);
    let (whole, part) = (hundredths / 100, hundredths % 100);
    println!(
        "RequestBooking, mail server answers: {answers:.1?}  refuses: {refuses:.1?}  \
         ratio {whole}.{part:02}"
    );
    ensure!(hundredths <= HUNDREDTHS_MAX, "bookings are slower while no mail can be sent");
    Ok(())
}
