//! What TLS between all parts costs: slot lists and bookings at a fixed rate, and the memory at
//! rest, of the same practice that is started without and with it, in turn.

use anyhow::Result;

use crate::callers::{Booker, Reader};
use crate::catch_up::until_caught_up;
use crate::environment::{Environment, Hours};
use crate::figure::{Figure, Unit};
use crate::figures::reads::slot_list;
use crate::load_generator::open_loop;
use crate::memory::Memory;
use crate::samples::{Samples, millis};

/// Slot lists and bookings in a second, and of each in a round.
const PER_SECOND: u32 = 20;
const CALLS: u32 = 200;
const WARM_UP: u32 = 40;
const ROUNDS: usize = 2;
const CLIENTS: usize = 8;
const ADDED: &str = "memory that TLS adds to our programs";

/// What was measured of one of the two.
#[derive(Default)]
struct Measured {
    lists: Samples,
    bookings: Samples,
    /// In MiB, our programs, of the last round.
    memory: f64,
}

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let (mut clear, mut secure) = (Measured::default(), Measured::default());
    for _ in 0..ROUNDS {
        round(environment, &mut clear).await?;
        environment.speak_tls(true);
        let measured = round(environment, &mut secure).await;
        environment.speak_tls(false);
        measured?;
    }
    // What is measured next runs without it again.
    environment.restart(Hours::Dense).await?;
    let times = |title: &str, of: fn(&Measured) -> &Samples, most: f64| {
        let reference = ("without TLS", millis(of(&clear).p50()));
        let ours = of(&secure);
        let p99 = [ours, of(&clear)].map(|it| millis(it.p99()));
        let note = format!("p99 {:.1} against {:.1} ms", p99[0], p99[1]);
        Figure::times(title, millis(ours.p50()), reference, (most, 1.1)).noting(note)
    };
    let more = secure.memory - clear.memory;
    let note = format!("{:.1} MiB with it, {:.1} without", secure.memory, clear.memory);
    Ok(vec![
        times("slot list with TLS between all parts, p50", |it| &it.lists, 1.5),
        times("RequestBooking with TLS between all parts, p50", |it| &it.bookings, 1.5),
        Figure::absolute(ADDED, Unit::Mebibytes, more, (30.0, 10.0)).noting(note),
    ])
}

async fn round(environment: &mut Environment, measured: &mut Measured) -> Result<()> {
    environment.restart(Hours::Dense).await?;
    let running = environment.at(Hours::Dense).await?;
    running.prepare(usize::try_from(CALLS + WARM_UP)? + 100)?;
    let list = slot_list(running.gateway);
    let mut readers = Reader::all(running.gateway, (&list, true), CLIENTS).await?;
    let mut bookers = Booker::all(running, CLIENTS).await?;
    open_loop(&mut readers, PER_SECOND, WARM_UP).await?;
    open_loop(&mut bookers, PER_SECOND, WARM_UP).await?;
    until_caught_up(&running.practice).await?;
    measured.memory = Memory::of(&running.practice)?.ours;
    measured.lists.absorb(open_loop(&mut readers, PER_SECOND, CALLS).await?);
    measured.bookings.absorb(open_loop(&mut bookers, PER_SECOND, CALLS).await?);
    Ok(())
}
