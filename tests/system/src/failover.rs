//! Failover drills: stores and processes of a practice fail under load as they do in a cluster, and
//! the figures say what was lost, how long bookings stood still, and what clients were answered.

mod asynchronous;
mod broker_cluster;
mod database_server;
mod disks;
mod figures;
mod fleet;
mod load;
mod nats;
mod pair;
mod postgres;
mod relay;
mod rolling;
mod settling;
mod small_disk;
mod upgrade;

use anyhow::{Result, bail};

use self::asynchronous::Scope;
use self::disks::FullDisk;

pub use self::figures::{Report, table};
pub use self::load::Rate;
pub use self::upgrade::there_and_back as upgrade;

/// The drills by name, in the order in which they run. `async-booking` is run by its name alone: it
/// does not pass (tests/system/README.md).
pub const DRILLS: [&str; 9] =
    ["sync", "rolling", "nats", "async", "standby", "fork", "disk-tables", "disk-log", "disk-nats"];

/// Runs the drill with this name.
///
/// # Errors
/// When there is none, or a process does not do what it should.
pub async fn run(drill: &str, rate: Rate) -> Result<Report> {
    match drill {
        "sync" => Box::pin(postgres::synchronous(rate, 3)).await,
        "rolling" => Box::pin(rolling::every_service(rate)).await,
        "nats" => Box::pin(nats::one_at_a_time(rate)).await,
        "async" => Box::pin(asynchronous::behind(Scope::Practice, rate)).await,
        "async-booking" => Box::pin(asynchronous::behind(Scope::Booking, rate)).await,
        "standby" => Box::pin(postgres::standby_killed(rate)).await,
        "fork" => Box::pin(postgres::fork(rate)).await,
        "disk-tables" => Box::pin(disks::full(FullDisk::Tables, rate)).await,
        "disk-log" => Box::pin(disks::full(FullDisk::Log, rate)).await,
        "disk-nats" => Box::pin(disks::full(FullDisk::Streams, rate)).await,
        _ => bail!("there is no drill {drill}; there are {}", DRILLS.join(", ")),
    }
}
