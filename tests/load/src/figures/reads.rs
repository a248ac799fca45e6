//! Reads in a second, by the same readers in turn: slot lists of a week and the list of services,
//! as the pages ask for them, beside a bare axum; and the home page, packed as browsers want it,
//! beside nginx with the same bytes.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use system::Customer;

use crate::callers::{Reader, expect_ok};
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::Figure;
use crate::http_client::{HttpClient, get};
use crate::load_generator::{Round, closed_loop};
use crate::reference_servers::ReferenceServer;
use crate::samples::{median, millis};
use crate::timetable::SERVICE;

/// How many read at once.
const READERS: usize = 32;
/// How often each is measured, in turn with what it stands beside.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_millis(2500);
const WARM_UP: Duration = Duration::from_millis(700);
/// How many times are held beforehand, two by each customer: about a third of all there are.
const CUSTOMERS: usize = 70;
/// What a page asks of a browser.
const PACKED: &str = "accept-encoding: gzip\r\n";

/// Slot lists, of a practice of whose times a third is taken.
pub(crate) async fn slots(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    let held = take_times(running).await?;
    let bare = ReferenceServer::bare().await?;
    let request = slot_list(running.gateway);
    let reference = get(bare.address, "/", "");
    // A time that passes changes the list.
    let pair = in_turn((running.gateway, &request, true), (bare.address, &reference)).await?;
    let figure = Figure::rate("slot lists", pair.ours, ("bare axum", pair.reference), (0.15, 0.3));
    Ok(vec![figure.noting(format!("{}; {held} times are held", pair.note()))])
}

/// The request of a slot list of a week.
pub(crate) fn slot_list(gateway: SocketAddr) -> Vec<u8> {
    let message = format!("%7B%22serviceId%22%3A%22{SERVICE}%22%2C%22days%22%3A7%7D");
    get(gateway, &connect_get("booking.v1.BookingService/ListSlots", &message), "")
}

/// The list of services, by a Connect GET.
pub(crate) async fn catalogue(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    let target = connect_get("catalogue.v1.CatalogueService/ListServices", "%7B%7D");
    let bare = ReferenceServer::bare().await?;
    let request = get(running.gateway, &target, "");
    let reference = get(bare.address, "/", "");
    let pair = in_turn((running.gateway, &request, false), (bare.address, &reference)).await?;
    let figure =
        Figure::rate("catalogue reads", pair.ours, ("bare axum", pair.reference), (0.5, 0.8));
    Ok(vec![figure.noting(pair.note())])
}

/// The home page.
pub(crate) async fn page(environment: &mut Environment, nginx: &Path) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Usual).await?;
    let mut http = HttpClient::open(running.gateway).await?;
    let plain = expect_ok(&http.send(&get(running.gateway, "/", "")).await?)?.to_vec();
    let packed = expect_ok(&http.send(&get(running.gateway, "/", PACKED)).await?)?.to_vec();
    let nginx = ReferenceServer::nginx(nginx, &plain, &packed).await?;
    let request = get(running.gateway, "/", PACKED);
    let reference = get(nginx.address, "/", PACKED);
    let theirs = HttpClient::open(nginx.address).await?.send(&reference).await?;
    anyhow::ensure!(expect_ok(&theirs)? == packed, "nginx does not send the same page");
    let pair = in_turn((running.gateway, &request, false), (nginx.address, &reference)).await?;
    let figure =
        Figure::rate("prerendered pages", pair.ours, ("nginx", pair.reference), (1.0, 1.5));
    Ok(vec![figure.noting(format!("{}; {} bytes each", pair.note(), packed.len()))])
}

/// A Connect GET as the web application asks it; the message is encoded for a URL.
pub(crate) fn connect_get(method: &str, message: &str) -> String {
    format!("/rpc/{method}?connect=v1&encoding=json&message={message}")
}

/// Holds times all over the calendar.
async fn take_times(running: &RunningSystem) -> Result<usize> {
    let practice = &running.practice;
    let looking = Customer::with_issued_token(practice, &running.issuer, "Looking")?;
    let free = looking.free_starts(SERVICE).await?;
    let mut held = 0;
    for (number, pair) in free.chunks(4).take(CUSTOMERS).enumerate() {
        let customer = Customer::with_issued_token(practice, &running.issuer, "Asha")?;
        for start in pair.iter().take(2) {
            customer.hold(SERVICE, start, &format!("held-{number:04}-{held:04}")).await?;
            held += 1;
        }
    }
    Ok(held)
}

/// Two rates that were measured in turn.
struct Pair {
    ours: f64,
    reference: f64,
    last: Option<Round>,
}

impl Pair {
    fn note(&self) -> String {
        let waits = self.last.as_ref().map(|round| &round.waits);
        let (p50, p99) = waits.map(|it| (millis(it.p50()), millis(it.p99()))).unwrap_or_default();
        format!("{READERS} readers, p50 {p50:.2} ms, p99 {p99:.2} ms")
    }
}

/// Both in turn, each first as often as it can be, and the medians of the rounds. Ours may be an
/// answer that changes with time.
async fn in_turn(ours: (SocketAddr, &[u8], bool), reference: (SocketAddr, &[u8])) -> Result<Pair> {
    let what = "what is measured cannot be read";
    let changes = ours.2;
    let mut our_readers = Reader::all(ours.0, (ours.1, changes), READERS).await.context(what)?;
    let their_readers = Reader::all(reference.0, (reference.1, false), READERS).await;
    let mut their_readers = their_readers.context(what)?;
    closed_loop(&mut our_readers, WARM_UP).await?;
    closed_loop(&mut their_readers, WARM_UP).await?;
    let (mut our_rates, mut their_rates, mut last) = (Vec::new(), Vec::new(), None);
    for round in 0..ROUNDS {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                let measured = closed_loop(&mut our_readers, ROUND).await?;
                our_rates.push(measured.per_second());
                last = Some(measured);
            } else {
                their_rates.push(closed_loop(&mut their_readers, ROUND).await?.per_second());
            }
        }
    }
    Ok(Pair { ours: median(&our_rates), reference: median(&their_rates), last })
}
