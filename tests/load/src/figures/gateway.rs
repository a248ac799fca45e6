//! What the gateway adds to a call: the same booking, read by its owner through the gateway
//! (Connect, JSON, HTTP/1.1) and from the service itself (gRPC), call by call in turn by one
//! caller.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use contract::booking::v1::GetBookingRequest;
use serde_json::json;
use system::Customer;
use tokio::time::Instant;

use crate::callers::{direct, expect_ok, signed};
use crate::environment::{Environment, Hours};
use crate::figure::{Against, Figure};
use crate::http_client::{HttpClient, call};
use crate::samples::{Samples, millis};
use crate::timetable::SERVICE;

/// How long both are measured together.
const LENGTH: Duration = Duration::from_secs(6);
/// How many calls come first and are not counted.
const WARM_UP: usize = 200;

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    let customer = Customer::with_issued_token(&running.practice, &running.issuer, "Asha")?;
    let free = customer.free_starts(SERVICE).await?;
    let start = free.last().context("no time is free")?;
    let id = customer.hold(SERVICE, start, "read-through-the-gateway").await?;
    let body = json!({ "bookingId": id }).to_string();
    let method = "booking.v1.BookingService/GetBooking";
    let request = call(running.gateway, method, customer.token(), &body);
    let mut http = HttpClient::open(running.gateway).await?;
    let mut client = direct(running.address("booking", "grpc")?)?;
    let (mut through, mut straight) = (Samples::default(), Samples::default());
    let began = Instant::now();
    let mut calls = 0;
    while began.elapsed() < LENGTH {
        for turn in 0..2 {
            let asked = Instant::now();
            if (calls + turn) % 2 == 0 {
                expect_ok(&http.send(&request).await?)?;
                keep(&mut through, calls, asked);
            } else {
                let message = GetBookingRequest { booking_id: id.clone() };
                let answer = client.get_booking(signed(message, customer.token())?).await?;
                ensure!(answer.into_inner().booking.is_some(), "a booking is gone");
                keep(&mut straight, calls, asked);
            }
        }
        calls += 1;
    }
    ensure!(through.len() > WARM_UP, "too few calls were answered to tell");
    let (ours, reference) = (millis(through.p50()), millis(straight.p50()));
    let figure = Figure {
        against: Against::Difference,
        ..Figure::times("what the gateway adds, p50", ours, ("service", reference), (0.4, 0.2))
    };
    Ok(vec![figure.noting(format!("GetBooking, {} calls each", through.len()))])
}

fn keep(samples: &mut Samples, calls: usize, asked: Instant) {
    let took = asked.elapsed();
    if calls >= WARM_UP {
        samples.push(took);
    }
}
