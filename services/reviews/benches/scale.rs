//! Compares the latency of reads with a million and with a hundred reviews: each statement runs
//! alternately on both databases, and the ratio of the medians is printed by `make bench`. It fails
//! when a ratio is above 1.2.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures time, speaks to a person and ends where it cannot go on"
)]

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use contract::reviews::v1::{ImageFilter, ListStaffReviewsRequest};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Review;
use reviews::read_model::page::Cursor;
use reviews::read_model::query::{self, Filter};
use reviews::read_model::staff::{self, StaffReviewQuery};
use sqlx::PgPool;
use testkit::TestDatabase;

const FEW: i64 = 100;
const MANY: i64 = 1_000_000;
/// Runs per statement and database, after a tenth as many to warm up.
const ROUNDS: usize = 400;
/// Maximum ratio of the medians, in percent.
const HUNDREDTHS_MAX: u128 = 120;
const PAGE: i64 = 12;

/// A database with the parameters of its queries.
struct Dataset {
    database: TestDatabase,
    pool: PgPool,
    ids: Vec<Id<Review>>,
    middle: Cursor,
}

impl Dataset {
    /// A database with `count` reviews, one per hour, so that a month of them is recent.
    async fn of(count: i64) -> Result<Self> {
        let database = TestDatabase::new(&reviews::MIGRATIONS).await?;
        database.as_owner(&seed(count)).await?;
        database.as_owner("vacuum analyze reviews").await?;
        let pool = database.store()?.pool().clone();
        let sql = "select review_id from reviews order by md5(review_id::text) limit 100";
        let ids = sqlx::query_scalar(sql).fetch_all(&pool).await?;
        let sql = "select created_at from reviews order by created_at desc offset $1 limit 1";
        let created_at = sqlx::query_scalar(sql).bind(count / 2).fetch_one(&pool).await?;
        let review_id = Id::from_uuid(uuid::Uuid::max());
        Ok(Self { database, pool, ids, middle: Cursor { created_at, review_id } })
    }
}

fn seed(count: i64) -> String {
    format!(
        "insert into reviews
             (review_id, name, email, service, rating, text, verified, created_at)
         select gen_random_uuid(), 'Reader ' || n, 'reader' || n || '@example.org',
                (array['Energy Healing', 'Spiritual Healing', 'Mental Health Therapy'])[1 + n % 3],
                1 + n % 5, repeat('A calm hour, and a clear head since. ', 4), n % 4 = 0,
                clock_now() - make_interval(hours => n::int)
         from generate_series(0, {count} - 1) n;
         update review_figures f set count = c.count, verified_count = c.verified
         from (select rating, count(*), count(*) filter (where verified) as verified
               from reviews group by rating) c where c.rating = f.rating;"
    )
}

type TimedQuery = for<'s> fn(&'s Dataset, usize) -> BoxFuture<'s, Result<usize>>;

fn page(dataset: &Dataset, filter: Filter, after: Option<Cursor>) -> BoxFuture<'_, Result<usize>> {
    async move { Ok(query::list(&dataset.pool, filter, after, PAGE).await?.len()) }.boxed()
}

fn panel<'s>(
    dataset: &'s Dataset,
    asked: &ListStaffReviewsRequest,
) -> BoxFuture<'s, Result<usize>> {
    let query = StaffReviewQuery::from_request(asked);
    async move { Ok(staff::list(&dataset.pool, &query, None, PAGE).await?.len()) }.boxed()
}

const QUERIES: &[(&str, TimedQuery)] = &[
    ("all, first page", |dataset, _| page(dataset, Filter::All, None)),
    ("all, from the middle", |dataset, _| page(dataset, Filter::All, Some(dataset.middle))),
    ("verified", |dataset, _| page(dataset, Filter::Verified, None)),
    ("recent", |dataset, _| page(dataset, Filter::Recent, None)),
    ("one review", |dataset, round| {
        async move {
            let id = dataset.ids.get(round % dataset.ids.len()).copied().unwrap();
            Ok(usize::from(query::review(&dataset.pool, id).await?.is_some()))
        }
        .boxed()
    }),
    ("statistics", |dataset, _| {
        async move { Ok(query::statistics(&dataset.pool).await?.counts_by_rating.len()) }.boxed()
    }),
    ("panel, all", |dataset, _| panel(dataset, &ListStaffReviewsRequest::default())),
    ("panel, one service", |dataset, _| {
        let service = "Energy Healing".to_owned();
        panel(dataset, &ListStaffReviewsRequest { service, ..Default::default() })
    }),
    ("panel, three stars", |dataset, _| {
        panel(dataset, &ListStaffReviewsRequest { rating: 3, ..Default::default() })
    }),
    ("panel, without a picture", |dataset, _| {
        let image = ImageFilter::Without.into();
        panel(dataset, &ListStaffReviewsRequest { image, ..Default::default() })
    }),
];

async fn timed(dataset: &Dataset, query: TimedQuery, round: usize) -> Result<Duration> {
    let started = Instant::now();
    let found = query(dataset, round).await?;
    let taken = started.elapsed();
    ensure!(found > 0, "a question found nothing");
    Ok(taken)
}

/// The medians of a query that runs alternately on both databases.
async fn medians(few: &Dataset, many: &Dataset, query: TimedQuery) -> Result<(Duration, Duration)> {
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + ROUNDS / 10 {
        let times = if round % 2 == 0 {
            let first = timed(few, query, round).await?;
            (first, timed(many, query, round).await?)
        } else {
            let first = timed(many, query, round).await?;
            (timed(few, query, round).await?, first)
        };
        if round >= ROUNDS / 10 {
            of_few.push(times.0);
            of_many.push(times.1);
        }
    }
    Ok((median(of_few), median(of_many)))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap()
}

#[tokio::main]
async fn main() -> Result<()> {
    let few = Dataset::of(FEW).await?;
    println!("filling a database with {MANY} reviews…");
    let many = Dataset::of(MANY).await?;
    let mut too_slow = Vec::new();
    for (name, query) in QUERIES {
        let (few, many) = medians(&few, &many, *query).await?;
        let hundredths = many.as_nanos() * 100 / few.as_nanos().max(1);
        let (whole, part) = (hundredths / 100, hundredths % 100);
        println!("{name:24} {FEW}: {few:>10.1?}  {MANY}: {many:>10.1?}  ratio {whole}.{part:02}");
        if hundredths > HUNDREDTHS_MAX {
            too_slow.push(*name);
        }
    }
    drop((few.database, many.database));
    ensure!(too_slow.is_empty(), "dearer than 1.2 times: {}", too_slow.join(", "));
    Ok(())
}
