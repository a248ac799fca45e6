//! How fast a consumer handles a backlog: the first 100,000 events of a long log of
//! booking's, read over gRPC from a feed without NATS, into an empty database of payments, by what
//! payments does about them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use eventstore::{Database, Store, checkpoint};
use messaging::{ConsumerHealth, FeedReader, FeedServer, Nats, Subscription, run_consumer};
use payments::consumers::booking::OnBooking;
use payments::domain::receipt::Issuer;
use runtime::server::Server;
use runtime::{Shutdown, Tasks};
use sqlx::{Connection as _, Executor as _, PgConnection};
use testkit::{TestKeys, until_within};
use tokio::time::Instant;
use tonic::service::Routes;

use crate::environment::{Environment, Hours};
use crate::figure::{Against, Bound, Figure, Unit};
use crate::log_database::full;
use crate::sql_baseline::database_of;

const DATABASE: &str = "bench_drain";
const CONSUMER: &str = "payments-on-booking";
const SOURCE: &str = "booking";
/// How many events have piled up.
const EVENTS: i64 = 100_000;
/// How long it may take.
const TIMEOUT: Duration = Duration::from_secs(300);

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    let source = Store::new(Database::new(full(&running.practice).await?).open()?);
    let migrated = ("payments", &*payments::MIGRATIONS);
    let url = database_of(&running.practice, DATABASE, migrated).await?;
    let mut owner = PgConnection::connect(&url).await?;
    owner.execute("truncate known_bookings cascade; delete from checkpoints").await?;
    let target = Store::new(Database::new(url).open()?);
    let practice = practice::load(&environment.dense_practice())?;

    let keys = TestKeys::new(&[SOURCE, "payments"])?;
    let shutdown = Shutdown::new();
    let mut tasks = Tasks::new(&shutdown);
    let server = Server::bind("127.0.0.1:0".parse()?, &shutdown).await?;
    let url = format!("http://{}", server.address()?);
    let feed = FeedServer::service(source, keys.peers(SOURCE)?, &["payments"]);
    tasks.spawn("server", server.serve(Routes::new(feed)));
    let subscription = Subscription {
        consumer: CONSUMER,
        source: SOURCE,
        feed: FeedReader::new(&url, SOURCE, &keys.peers("payments")?)?,
        consumer_health: ConsumerHealth::default(),
    };
    let reaction = Arc::new(OnBooking::new(Arc::new(Issuer::of(&practice))));
    let began = Instant::now();
    let away = Nats::new("nats://127.0.0.1:1");
    let consuming = run_consumer(target.clone(), away, subscription, reaction, shutdown.clone());
    tasks.spawn(CONSUMER, consuming);
    let position = until_within(TIMEOUT, "the feed is drained", async || {
        let position = checkpoint::position(&target, CONSUMER, SOURCE).await?;
        Ok((position >= EVENTS).then_some(position))
    })
    .await?;
    let seconds = began.elapsed().as_secs_f64();
    shutdown.trigger();
    tasks.join().await?;
    let known: i64 =
        sqlx::query_scalar("select count(*) from known_bookings").fetch_one(&mut owner).await?;
    // Of four events one is a request, in each booking's order.
    ensure!(known >= EVENTS / 4, "payments knows {known} bookings of {position} events");
    let rate = f64::from(u32::try_from(position)?) / seconds;
    Ok(vec![Figure {
        title: "drain of a feed, events".to_owned(),
        unit: Unit::PerSecond,
        ours: rate,
        reference: None,
        against: Against::Nothing,
        reach: Bound::AtLeast(2_000.0),
        stretch: Some(Bound::AtLeast(5_000.0)),
        note: format!("{position} events of booking's log into payments in {seconds:.1} s"),
    }])
}
