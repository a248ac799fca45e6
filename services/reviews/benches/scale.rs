//! What reading costs with a million reviews, compared with a hundred, in one run: each statement
//! is asked in turn of both databases, and the medians are put in a ratio. `make bench` prints
//! them; it fails when a ratio is above 1.2.
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
use reviews::read_model::staff::{self, Wanted};
use sqlx::PgPool;
use testkit::TestDatabase;

const FEW: i64 = 100;
const MANY: i64 = 1_000_000;
/// How often each statement is asked of each database, after a tenth as often to warm up.
const ROUNDS: usize = 400;
/// The most that a million may cost, in hundredths of what a hundred cost.
const HUNDREDTHS_MAX: u128 = 120;
const PAGE: i64 = 12;

/// One database, with what its questions need.
struct Shelf {
    database: TestDatabase,
    pool: PgPool,
    ids: Vec<Id<Review>>,
    middle: Cursor,
}

impl Shelf {
    /// A database with so many reviews, one an hour, so that a month of them is recent.
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

type Question = for<'s> fn(&'s Shelf, usize) -> BoxFuture<'s, Result<usize>>;

fn page(shelf: &Shelf, filter: Filter, after: Option<Cursor>) -> BoxFuture<'_, Result<usize>> {
    async move { Ok(query::list(&shelf.pool, filter, after, PAGE).await?.len()) }.boxed()
}

fn panel<'s>(shelf: &'s Shelf, asked: &ListStaffReviewsRequest) -> BoxFuture<'s, Result<usize>> {
    let wanted = Wanted::of(asked);
    async move { Ok(staff::list(&shelf.pool, &wanted, None, PAGE).await?.len()) }.boxed()
}

const QUESTIONS: &[(&str, Question)] = &[
    ("all, first page", |shelf, _| page(shelf, Filter::All, None)),
    ("all, from the middle", |shelf, _| page(shelf, Filter::All, Some(shelf.middle))),
    ("verified", |shelf, _| page(shelf, Filter::Verified, None)),
    ("recent", |shelf, _| page(shelf, Filter::Recent, None)),
    ("one review", |shelf, round| {
        async move {
            let id = shelf.ids.get(round % shelf.ids.len()).copied().unwrap();
            Ok(usize::from(query::review(&shelf.pool, id).await?.is_some()))
        }
        .boxed()
    }),
    ("statistics", |shelf, _| {
        async move { Ok(query::statistics(&shelf.pool).await?.counts_by_rating.len()) }.boxed()
    }),
    ("panel, all", |shelf, _| panel(shelf, &ListStaffReviewsRequest::default())),
    ("panel, one service", |shelf, _| {
        let service = "Energy Healing".to_owned();
        panel(shelf, &ListStaffReviewsRequest { service, ..Default::default() })
    }),
    ("panel, three stars", |shelf, _| {
        panel(shelf, &ListStaffReviewsRequest { rating: 3, ..Default::default() })
    }),
    ("panel, without a picture", |shelf, _| {
        let image = ImageFilter::Without.into();
        panel(shelf, &ListStaffReviewsRequest { image, ..Default::default() })
    }),
];

async fn timed(shelf: &Shelf, question: Question, round: usize) -> Result<Duration> {
    let started = Instant::now();
    let found = question(shelf, round).await?;
    let taken = started.elapsed();
    ensure!(found > 0, "a question found nothing");
    Ok(taken)
}

/// The medians of a question asked of both databases in turn.
async fn medians(few: &Shelf, many: &Shelf, question: Question) -> Result<(Duration, Duration)> {
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS + ROUNDS / 10 {
        let times = if round % 2 == 0 {
            let first = timed(few, question, round).await?;
            (first, timed(many, question, round).await?)
        } else {
            let first = timed(many, question, round).await?;
            (timed(few, question, round).await?, first)
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
    let few = Shelf::of(FEW).await?;
    println!("filling a database with {MANY} reviews…");
    let many = Shelf::of(MANY).await?;
    let mut dear = Vec::new();
    for (name, question) in QUESTIONS {
        let (few, many) = medians(&few, &many, *question).await?;
        let hundredths = many.as_nanos() * 100 / few.as_nanos().max(1);
        let (whole, part) = (hundredths / 100, hundredths % 100);
        println!("{name:24} {FEW}: {few:>10.1?}  {MANY}: {many:>10.1?}  ratio {whole}.{part:02}");
        if hundredths > HUNDREDTHS_MAX {
            dear.push(*name);
        }
    }
    drop((few.database, many.database));
    ensure!(dear.is_empty(), "dearer than 1.2 times: {}", dear.join(", "));
    Ok(())
}
