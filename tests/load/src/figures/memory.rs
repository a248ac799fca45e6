//! What the practice takes of memory after load, beside what the same processes took when they had
//! just been started. In a whole run the load is everything that was measured since, and a time of
//! mixed load at the end; `ONLY=memory` puts ten minutes of mixed load on it.

use std::time::Duration;

use anyhow::Result;

use crate::callers::{Booker, Reader};
use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Figure, Unit};
use crate::figures::reads::connect_get;
use crate::http_client::get;
use crate::load_generator::{closed_loop, open_loop};
use crate::memory::Memory;

/// The mixed load: bookings in a second, and readers of each kind that never pause.
const PER_SECOND: u32 = 40;
const BOOKERS: usize = 8;
const READERS: usize = 2;
/// How long the practice is idle before it is measured.
const QUIET: Duration = Duration::from_secs(4);
/// Wishes are made for so long at a time.
const STRETCH_SECONDS: u32 = 10;

/// What the practice takes whose times do not run out, before there is load.
pub(crate) async fn at_rest(environment: &mut Environment) -> Result<Memory> {
    let running = environment.at(Hours::Dense).await?;
    system::pause::wait_for(QUIET).await;
    Memory::of(&running.practice)
}

pub(crate) async fn measure(
    environment: &mut Environment,
    rest: &Memory,
    stretches: u32,
) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    for _ in 0..stretches {
        mixed(running).await?;
    }
    until_caught_up(&running.practice).await?;
    system::pause::wait_for(QUIET).await;
    let after = Memory::of(&running.practice)?;
    let minutes = running.age().as_secs_f64() / 60.0;
    let title = |which: &str| format!("memory after load: {which}");
    let ours = Figure {
        unit: Unit::Mebibytes,
        ..Figure::times(title("ours"), after.ours, ("at rest", rest.ours), (1.5, 1.2))
    };
    let all = Figure {
        unit: Unit::Mebibytes,
        ..Figure::times(title("with stores"), after.all, ("at rest", rest.all), (1.5, 1.2))
    };
    let note = format!("{minutes:.1} minutes after the start; PSS in MiB: {}", after.parts);
    Ok(vec![ours.noting(note), all])
}

/// Some seconds of everything that people do at once.
async fn mixed(running: &RunningSystem) -> Result<()> {
    let count = PER_SECOND * STRETCH_SECONDS;
    running.prepare(usize::try_from(count)?)?;
    let length = Duration::from_secs(u64::from(STRETCH_SECONDS));
    // Lists change while times are booked, so their length is not compared.
    let message = "%7B%22serviceId%22%3A%22meditation%22%2C%22days%22%3A1%7D";
    let slots = connect_get("booking.v1.BookingService/ListSlots", message);
    let services = connect_get("catalogue.v1.CatalogueService/ListServices", "%7B%7D");
    let host = running.gateway;
    let mut lists = Reader::all(host, (&get(host, &services, ""), false), READERS).await?;
    let mut pages = Reader::all(host, (&get(host, "/", ""), false), READERS).await?;
    let mut lookers = Reader::all(host, (&get(host, &slots, ""), true), READERS).await?;
    let mut bookers = Booker::all(running, BOOKERS).await?;
    let booking = open_loop(&mut bookers, PER_SECOND, count);
    let (booked, listed, shown, looked) = tokio::join!(
        booking,
        closed_loop(&mut lists, length),
        closed_loop(&mut pages, length),
        closed_loop(&mut lookers, length),
    );
    booked?;
    listed?;
    shown?;
    looked?;
    Ok(())
}
