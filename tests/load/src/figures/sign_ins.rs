//! What 50 sign-ins in a second do to a slot list and to a booking: each is measured without and
//! with them, at the same fixed rate, in turn. A sign-in that finds the queue of hashes full is
//! told to wait, which is a right answer here.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use serde_json::json;
use system::accounts::sign_up;

use crate::callers::{Booker, Reader};
use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours};
use crate::figure::Figure;
use crate::figures::reads::slot_list;
use crate::http_client::{HttpClient, post};
use crate::load_generator::{Caller, open_loop};
use crate::samples::{Samples, millis};

/// Sign-ins in a second, and their accounts. One account would be slowed down as a guesser's.
const SIGN_INS: u32 = 50;
const ACCOUNTS: usize = 100;
/// Connections of those who sign in; each may wait for its turn.
const SIGNING_IN: usize = 200;
/// Slot lists and bookings in a second, and of each in a round.
const PER_SECOND: u32 = 20;
const CALLS: u32 = 200;
const ROUNDS: usize = 3;
const CLIENTS: usize = 8;
const PASSWORD: &str = "quiet river stones";

/// A caller that signs in, to one account after the other.
struct SignIn {
    http: HttpClient,
    requests: Arc<[Vec<u8>]>,
    next: Arc<AtomicUsize>,
    done: Arc<AtomicUsize>,
}

impl Caller for SignIn {
    async fn call(&mut self) -> Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed) % self.requests.len().max(1);
        let Some(request) = self.requests.get(number) else { return Ok(()) };
        let reply = self.http.send(request).await?;
        ensure!(matches!(reply.status, 200 | 429 | 503), "a sign-in got {}", reply.status);
        self.done.fetch_add(usize::from(reply.status == 200), Ordering::Relaxed);
        Ok(())
    }
}

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let emails: Vec<String> =
        (0..ACCOUNTS).map(|number| format!("signer{number}@customers.example")).collect();
    for email in &emails {
        sign_up(&running.practice, email, PASSWORD).await?;
    }
    let done = Arc::new(AtomicUsize::new(0));
    let mut signing_in = sign_ins(running.gateway, &emails, &done).await?;
    let list = slot_list(running.gateway);
    let mut readers = Reader::all(running.gateway, (&list, true), CLIENTS).await?;
    let mut bookers = Booker::all(running, CLIENTS).await?;
    running.prepare(usize::try_from(CALLS)? * ROUNDS * 2 + 100)?;
    open_loop(&mut readers, PER_SECOND, 40).await?;
    open_loop(&mut bookers, PER_SECOND, 40).await?;
    until_caught_up(&running.practice).await?;
    let lists = in_turn(&mut readers, &mut signing_in).await?;
    let bookings = in_turn(&mut bookers, &mut signing_in).await?;
    let note = format!("{} sign-ins were let in", done.load(Ordering::Relaxed));
    Ok(vec![
        figure("slot list beside 50 sign-ins/s, p99", &lists, 2.0).noting(&note),
        figure("RequestBooking beside 50 sign-ins/s, p99", &bookings, 3.0).noting(note),
    ])
}

fn figure(title: &str, (alone, beside): &(Samples, Samples), most: f64) -> Figure {
    let reference = ("without them", millis(alone.p99()));
    Figure::times(title, millis(beside.p99()), reference, (most, 1.5))
}

/// The calls without and with sign-ins, in turn.
async fn in_turn<C: Caller>(
    callers: &mut Vec<C>,
    signing_in: &mut Vec<SignIn>,
) -> Result<(Samples, Samples)> {
    let (mut alone, mut beside) = (Samples::default(), Samples::default());
    let sign_ins = CALLS / PER_SECOND * SIGN_INS;
    for _ in 0..ROUNDS {
        alone.absorb(open_loop(callers, PER_SECOND, CALLS).await?);
        let (measured, signed_in) = tokio::join!(
            open_loop(callers, PER_SECOND, CALLS),
            open_loop(signing_in, SIGN_INS, sign_ins)
        );
        signed_in?;
        beside.absorb(measured?);
    }
    Ok((alone, beside))
}

async fn sign_ins(
    host: SocketAddr,
    emails: &[String],
    done: &Arc<AtomicUsize>,
) -> Result<Vec<SignIn>> {
    let requests = emails.iter().map(|email| {
        let body = json!({ "email": email, "password": PASSWORD }).to_string();
        post(host, "/auth/v1/token?grant_type=password", &body)
    });
    let (requests, next): (Arc<[Vec<u8>]>, _) = (requests.collect(), Arc::default());
    let mut callers = Vec::with_capacity(SIGNING_IN);
    for _ in 0..SIGNING_IN {
        let (requests, next, done) = (Arc::clone(&requests), Arc::clone(&next), Arc::clone(done));
        callers.push(SignIn { http: HttpClient::open(host).await?, requests, next, done });
    }
    Ok(callers)
}
