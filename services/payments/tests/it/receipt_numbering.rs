//! Serial numbers of receipts: unique and without gaps, under concurrency, rollbacks, crashes and
//! repeated events, and across the change of the financial year.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use contract::booking::v1::BookingCancelled;
use eventstore::{Metadata, Store, new_id, new_uuid};
use futures::future::try_join_all;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use kernel::id::Customer;
use kernel::{Id, Money, Timestamp};
use payments::app::issue_receipt::issue_receipt;
use payments::app::reconciliation_exceptions::{Reason, list};
use payments::domain::booking_intent::BookingIntent;
use payments::domain::collection::{Command, Terms};
use payments::domain::fact::{Fact, OrderId, Payment, PaymentId, Source, Status};
use payments::domain::receipt::Issuer;
use payments::domain::receipt::paper::Series;
use payments::error;
use payments::read_model::{project, receipts};
use payments::repository::LockedCollection;
use payments::timers::{kinds, polling};
use sqlx::Row as _;
use testkit::Alarms;
use tokio::process::{Child, Command as Program};

use crate::ledger::{build_app, confirm};
use crate::receipts::{happens, inr, practice, taken_in_again, until_taken_in};
use crate::world::{ACCOUNT, Held, KEY, KEY_SECRET, PRICE, WEBHOOK_SECRET, World, usual_practice};

const COUNT: &str = "select count(*) from receipts";
const HOUR: i64 = 3600;
/// How many bookings are confirmed at once.
const MANY: usize = 80;

/// What must hold of the numbers, read from the tables and the log alone.
pub(crate) async fn gapless(store: &Store) -> Result<()> {
    let rows = sqlx::query(
        "select financial_year, number, serial, issued_at, (
             select count(*) from events
             where event_type = 'payments.v1.ReceiptIssued' and stream_id = 'receipt-' || receipt_id
               and payload ->> 'serial' = serial) as told, series
         from (
             select receipt_id, 'receipt' as series, financial_year, number, serial, issued_at
             from receipts
             union all
             select paper_id, series, financial_year, number, serial, issued_at from tax_papers
         ) papers order by series, financial_year, number",
    )
    .fetch_all(store.pool())
    .await?;
    let mut last: BTreeMap<(String, i32), (i32, Timestamp)> = BTreeMap::new();
    for row in &rows {
        let (year, number): (i32, i32) = (row.try_get(0)?, row.try_get(1)?);
        let (serial, issued_at): (String, Timestamp) = (row.try_get(2)?, row.try_get(3)?);
        ensure!(row.try_get::<i64, _>("told")? == 1, "{serial} has not one event");
        ensure!(serial.ends_with(&format!("/{number:05}")), "{serial} is number {number}");
        let series: String = row.try_get("series")?;
        let book = (series.clone(), year);
        let (before, at) = last.insert(book, (number, issued_at)).unwrap_or((0, issued_at));
        ensure!(number == before + 1, "{series} of {year} has {number} behind {before}");
        ensure!(at <= issued_at, "{serial} was issued before the one before it");
    }
    let counters = sqlx::query_as(
        "select 'receipt', financial_year, last_number from receipt_counters
         union all select series, financial_year, last_number from tax_paper_counters",
    );
    let counters: Vec<(String, i32, i32)> = counters.fetch_all(store.pool()).await?;
    let counters: BTreeMap<(String, i32), i32> =
        counters.into_iter().map(|(series, year, last)| ((series, year), last)).collect();
    let last: BTreeMap<(String, i32), i32> =
        last.into_iter().map(|(book, (last, _))| (book, last)).collect();
    ensure!(counters == last, "{counters:?} were taken, {last:?} were issued");
    let told: i64 = sqlx::query_scalar(
        "select count(*) from events where event_type = 'payments.v1.ReceiptIssued'",
    )
    .fetch_one(store.pool())
    .await?;
    ensure!(usize::try_from(told)? == rows.len(), "{told} events of {} receipts", rows.len());
    Ok(())
}

/// A new provider id of this kind.
fn provider_id(kind: &str) -> String {
    let digits = new_uuid().simple().to_string();
    format!("{kind}_{}", digits.get(18..).unwrap_or_default())
}

/// A booking that is announced and whose money is verified, without a call to the provider.
pub(crate) async fn verified(world: &World) -> Result<(Held, String)> {
    verified_of(world, new_id()).await
}

/// The same of this client.
pub(crate) async fn verified_of(world: &World, customer: Id<Customer>) -> Result<(Held, String)> {
    let held = Held { id: new_id(), customer };
    let payment_id = provider_id("pay");
    let id = PaymentId::parse(&payment_id).context("a payment's id")?;
    let order = OrderId::parse(&provider_id("order")).context("an order's id")?;
    let terms = Terms {
        collection_id: new_id(),
        booking_id: held.id,
        customer_id: held.customer,
        amount: Money::inr(PRICE),
    };
    let fact =
        Fact { status: Status::Captured, amount: terms.amount.into(), order: Some(order.clone()) };
    let payment = Payment { id, fact };
    world
        .store
        .write(Metadata::by("test", None), move |tx| {
            let (order, payment) = (order.clone(), payment.clone());
            Box::pin(async move {
                project::known_booking(tx, held.id, held.customer, None).await?;
                let mut locked = LockedCollection::load(tx, held.id).await?;
                locked.apply(tx, Command::Open(terms)).await?;
                locked
                    .apply(tx, Command::RecordOrder { provider: "razorpay".to_owned(), order })
                    .await?;
                kinds::expect_webhook(tx, &payment.id, locked.now).await?;
                let observed = Command::Observe {
                    payment: payment.clone(),
                    source: Source::Webhook,
                    refund_id: new_id(),
                };
                locked.apply(tx, observed).await?;
                kinds::end_expectation(tx, &payment.id).await?;
                Ok::<(), error::Error>(polling::end(tx, held.id).await?)
            })
        })
        .await?;
    Ok((held, payment_id))
}

/// This many bookings with verified money, created with as much concurrency as the pool allows.
async fn verified_many(world: &World, many: usize) -> Result<Vec<(Held, String)>> {
    stream::iter((0..many).map(|_| verified(world))).buffered(12).try_collect().await
}

async fn confirm_many(world: &World, many: usize) -> Result<()> {
    let paid = verified_many(world, many).await?;
    // booking's log takes one at a time; more of them only wait for a connection.
    let confirming =
        stream::iter(paid.iter().map(|(held, payment)| confirm(world, *held, payment)));
    confirming.buffered(4).try_collect().await
}

pub(crate) fn issuer() -> Result<Arc<Issuer>> {
    Ok(Arc::new(Issuer::of(&practice::load(&usual_practice())?)))
}

/// Issues as the consumer does, in a transaction that is rolled back on request.
async fn issue(
    store: &Store,
    issuer: &Arc<Issuer>,
    (held, payment): (Held, &str),
    comes_to_nothing: bool,
) -> Result<bool> {
    let placed = PaymentId::parse(payment);
    let intent = BookingIntent { placed, ..BookingIntent::default() };
    let issuer = Arc::clone(issuer);
    let issued = store
        .write(Metadata::by("test", None), move |tx| {
            let (issuer, intent) = (Arc::clone(&issuer), intent.clone());
            Box::pin(async move {
                let locked = LockedCollection::load(tx, held.id).await?;
                let issued = issue_receipt(tx, &issuer, &locked, &intent).await?;
                if comes_to_nothing { Err(error::Error::NotFound) } else { Ok(!issued.is_empty()) }
            })
        })
        .await;
    match issued {
        Err(error::Error::NotFound) => Ok(false),
        other => Ok(other?),
    }
}

#[tokio::test]
async fn eighty_confirmations_at_once_over_two_processes_leave_no_gap() -> Result<()> {
    let world = World::without_webhooks().await?;
    let other = world.another(&usual_practice()).await?;
    confirm_many(&world, MANY).await?;
    world.until_number(COUNT, i64::try_from(MANY)?).await?;
    gapless(&world.store).await?;
    // Every event of booking once more, and nothing new.
    taken_in_again(&world).await?;
    assert_eq!(world.number(COUNT).await?, i64::try_from(MANY)?);
    gapless(&world.store).await?;
    other.stop().await
}

#[tokio::test]
async fn what_comes_to_nothing_or_loses_its_connection_gives_its_number_back() -> Result<()> {
    let world = World::without_webhooks().await?;
    let issuer = issuer()?;
    // Two pools, as two processes have; and each booking is everybody's at once.
    let stores = [world.database.store()?, world.database.store()?];
    let paid = verified_many(&world, MANY).await?;
    let issuing = paid.iter().enumerate().flat_map(|(index, (held, payment))| {
        let (stores, issuer) = (&stores, &issuer);
        [(0, false), (1, index % 2 == 0), (0, true)].map(|(which, comes_to_nothing)| async move {
            let store = &stores[which];
            // A lost connection is retried, as a consumer does.
            testkit::until_within(
                std::time::Duration::from_secs(120),
                "it was issued",
                async || {
                    let done = issue(store, issuer, (*held, payment), comes_to_nothing).await;
                    Ok(done.ok())
                },
            )
            .await
        })
    });
    let issuing = try_join_all(issuing);
    let cutting = async {
        for _ in 0..20 {
            let cut = "select pg_terminate_backend(pid) from pg_stat_activity
                       where datname = current_database() and usename <> current_user
                         and state <> 'idle' and random() < 0.3";
            world.database.as_owner(cut).await?;
        }
        Ok(())
    };
    let (issued, ()) = futures::future::try_join(issuing, cutting).await?;
    // A commit whose answer was lost took effect, and is not counted here.
    assert!(issued.into_iter().filter(|is_new| *is_new).count() <= MANY);
    assert_eq!(world.number(COUNT).await?, i64::try_from(MANY)?);
    gapless(&world.store).await
}

#[tokio::test]
async fn a_number_that_is_taken_outside_the_transaction_is_noticed() -> Result<()> {
    let world = World::without_webhooks().await?;
    let issuer = issuer()?;
    let (held, payment) = verified(&world).await?;
    assert!(issue(&world.store, &issuer, (held, &payment), false).await?);
    gapless(&world.store).await?;
    // A broken version: it takes a number, and dies before the receipt is written.
    let year = issuer.year_of(world.store.now().await?);
    world
        .store
        .write(Metadata::by("test", None), move |tx| {
            Box::pin(receipts::take_number(tx, Series::Receipt, year))
        })
        .await?;
    let seen = gapless(&world.store).await.unwrap_err().to_string();
    assert!(seen.contains("were taken"), "{seen}");
    // The database refuses every later number.
    let (held, payment) = verified(&world).await?;
    let refused = issue(&world.store, &issuer, (held, &payment), false).await.unwrap_err();
    assert!(format!("{refused:?}").contains("numbered without gaps"), "{refused:?}");
    // And if it did, the gap would be seen.
    let disabled = "alter table receipts disable trigger receipts_have_no_gap";
    world.database.as_owner(disabled).await?;
    assert!(issue(&world.store, &issuer, (held, &payment), false).await?);
    let seen = gapless(&world.store).await.unwrap_err().to_string();
    assert!(seen.contains("has 3 behind 1"), "{seen}");
    Ok(())
}

/// The service as a process of its own, which dies where `arm` names a place.
fn start(world: &World, failpoints: &Path) -> Result<Child> {
    let nowhere = "127.0.0.1:0".to_owned();
    let closed = "http://127.0.0.1:1".to_owned();
    let environment = [
        ("SUKOON_MODE", "development".to_owned()),
        ("LOG_FILTER", "info".to_owned()),
        ("PAYMENTS_LISTEN", nowhere.clone()),
        ("PAYMENTS_HTTP_LISTEN", nowhere),
        ("PAYMENTS_DATABASE_URL", world.database.url.clone()),
        // Other tests' events are on the one that is there; the feed is read from its source.
        ("NATS_URL", "nats://127.0.0.1:1".to_owned()),
        ("PRACTICE_DIR", usual_practice().display().to_string()),
        ("BOOKING_URL", format!("http://{}", world.booking.address)),
        ("PAYMENTS_PROVIDER_URL", format!("{}/v1", world.sandbox_url)),
        ("PAYMENTS_KEY_ID", KEY.to_owned()),
        ("PAYMENTS_KEY_SECRET", KEY_SECRET.to_owned()),
        ("PAYMENTS_WEBHOOK_SECRET", WEBHOOK_SECRET.to_owned()),
        ("PAYMENTS_ACCOUNT_ID", ACCOUNT.to_owned()),
        ("PAYMENTS_CHECKOUT_SCRIPT_URL", format!("{}/v1/checkout.js", world.sandbox_url)),
        ("TOKEN_JWKS_URL", format!("{closed}/jwks.json")),
        ("TOKEN_ISSUER", closed),
        ("CALLER_PRIVATE_KEY", world.keys.private_key("payments")?),
        ("CALLER_PUBLIC_KEYS", world.keys.public_keys()),
        ("FAILPOINTS_DIR", failpoints.display().to_string()),
    ];
    let mut program = Program::new(env!("CARGO_BIN_EXE_payments"));
    program.env_clear().envs(environment);
    Ok(program.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true).spawn()?)
}

#[tokio::test]
async fn processes_that_are_killed_while_they_issue_leave_no_gap() -> Result<()> {
    const ROUNDS: i64 = 10;
    let mut world = World::without_webhooks().await?;
    world.stop().await?;
    let failpoints = world.folder.join("failpoints");
    let (arm, died) = (failpoints.join("arm"), failpoints.join("died"));
    for folder in [&arm, &died, &failpoints.join("seen")] {
        std::fs::create_dir_all(folder)?;
    }
    let mut processes = [start(&world, &failpoints)?, start(&world, &failpoints)?];
    for round in 0..ROUNDS {
        let place = if round % 2 == 0 { "before-commit" } else { "after-commit" };
        let place = format!("payments.on-booking.BookingConfirmed.{place}");
        std::fs::write(arm.join(&place), "")?;
        confirm_many(&world, MANY / 10).await?;
        testkit::until("a process died", async || {
            let is_dead = died.join(&place).exists();
            Ok(is_dead.then_some(()))
        })
        .await?;
        std::fs::remove_file(died.join(&place))?;
        let killed = testkit::until("its end is known", async || {
            for (index, process) in processes.iter_mut().enumerate() {
                if process.try_wait()?.is_some() {
                    return Ok(Some(index));
                }
            }
            Ok(None)
        })
        .await?;
        let Some(place) = processes.get_mut(killed) else { bail!("there are two") };
        *place = start(&world, &failpoints)?;
    }
    world.until_number(COUNT, i64::try_from(MANY)?).await?;
    gapless(&world.store).await
}

/// Stops the one clock at an instant.
pub(crate) async fn stop_clock(world: &World, at: &str) -> Result<()> {
    let sql = format!(
        "create or replace function clock_now() returns timestamptz language sql volatile as
         $$ select timestamptz '{at}' $$"
    );
    world.database.as_owner(&sql).await
}

async fn serials(world: &World) -> Result<Vec<String>> {
    let sql = "select serial from receipts order by financial_year, number";
    Ok(sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?)
}

#[tokio::test]
async fn numbers_begin_anew_at_midnight_of_the_first_of_april_in_india() -> Result<()> {
    let world = World::without_webhooks().await?;
    stop_clock(&world, "2027-03-31 23:59:59+05:30").await?;
    confirm_many(&world, 3).await?;
    world.until_number(COUNT, 3).await?;
    stop_clock(&world, "2027-04-01 00:00:00+05:30").await?;
    confirm_many(&world, 2).await?;
    world.until_number(COUNT, 5).await?;
    let wanted = [
        "SUK/26-27/00001",
        "SUK/26-27/00002",
        "SUK/26-27/00003",
        "SUK/27-28/00001",
        "SUK/27-28/00002",
    ];
    assert_eq!(serials(&world).await?, wanted);
    gapless(&world.store).await
}

#[tokio::test]
async fn receipts_that_are_issued_while_the_year_turns_have_no_gap_in_either() -> Result<()> {
    let world = World::without_webhooks().await?;
    let other = world.another(&usual_practice()).await?;
    let midnight: Timestamp = "2027-03-31T18:30:00Z".parse()?;
    let now = world.store.now().await?;
    let ahead = midnight.seconds_since(now);
    world.move_clock(ahead - 3600).await?;
    confirm_many(&world, 10).await?;
    world.until_number(COUNT, 10).await?;
    world.move_clock(ahead - 1).await?;
    let of_year = async |year: i32| -> Result<i64> {
        let sql = "select count(*) from receipts where financial_year = $1";
        Ok(sqlx::query_scalar(sql).bind(year).fetch_one(world.store.pool()).await?)
    };
    testkit::until("the year has turned", async || {
        confirm_many(&world, 10).await?;
        Ok((of_year(2027).await? >= 10).then_some(()))
    })
    .await?;
    let due = "select count(*) from known_bookings where not exists (
                   select from receipts where receipts.booking_id = known_bookings.booking_id)";
    world.until_number(due, 0).await?;
    assert!(of_year(2026).await? >= 10);
    let wrong = "select count(*) from receipts
                 where (issued_at < '2027-04-01 00:00:00+05:30') <> (financial_year = 2026)";
    assert_eq!(world.number(wrong).await?, 0);
    gapless(&world.store).await?;
    other.stop().await
}

/// Receipts that were refused and wait for their next try.
pub(crate) const PUT_OFF: &str = "select count(*) from timers
    where kind = 'issue-receipt' and due_at > clock_now()";

/// As if so many receipts had been issued as serial numbers with the usual prefix allow.
pub(crate) async fn use_numbers_up(world: &World) -> Result<()> {
    let used_up = "alter table receipts disable trigger user;
                   update receipts set number = 999999, serial = replace(serial, '00001', '999999');
                   alter table receipts enable trigger user;
                   update receipt_counters set last_number = 999999;";
    world.database.as_owner(used_up).await
}

/// The service starts anew with a prefix that leaves room for one digit more.
pub(crate) async fn shorten_prefix(world: &mut World) -> Result<()> {
    let shorter = practice(world, "shorter", &[("prefix = \"SUK\"", "prefix = \"SU\"")])?;
    let process = world.another(&shorter).await?;
    world.replace(process).await
}

pub(crate) async fn cancel(world: &World, held: Held, minor_units: i64) -> Result<()> {
    let (booking_id, refund) = (held.id.to_string(), inr(minor_units));
    happens(world, BookingCancelled { booking_id, refund, ..Default::default() }).await
}

#[tokio::test]
async fn used_up_numbers_are_a_persons_task_and_a_shorter_prefix_helps() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    confirm_many(&world, 1).await?;
    world.until_number(COUNT, 1).await?;
    use_numbers_up(&world).await?;
    let alarms = Alarms::listen();
    let (held, payment) = verified(&world).await?;
    confirm(&world, held, &payment).await?;
    let (gone, of_gone) = verified(&world).await?;
    confirm(&world, gone, &of_gone).await?;
    world.until_number(PUT_OFF, 2).await?;
    assert_eq!(alarms.count("a receipt cannot be issued"), 2);
    // The money is processed, and both events are consumed.
    cancel(&world, held, 20_000).await?;
    world.until(held, "RefundRequested").await?;
    cancel(&world, gone, PRICE).await?;
    world.until(gone, "RefundRequested").await?;
    until_taken_in(&world).await?;
    assert_eq!(world.count(held, "PaymentRetained").await?, 1);
    assert_eq!(world.number("select last_number::bigint from receipt_counters").await?, 999_999);
    let listed = list(&build_app(&world)?, true).await?;
    let refused = listed.iter().filter(|it| it.reason == Reason::ReceiptRefused);
    assert!(refused.clone().any(|it| it.booking_id == Some(held.id)), "{listed:?}");
    shorten_prefix(&mut world).await?;
    world.move_clock(HOUR).await?;
    world.until_number(COUNT, 2).await?;
    let last = serials(&world).await?.pop().context("a receipt")?;
    assert!(last.starts_with("SU/") && last.ends_with("/1000000"), "{last}");
    // Of money that is wholly on its way back none is due any more.
    world.until_number("select count(*) from timers where kind = 'issue-receipt'", 0).await?;
    assert_eq!(world.number(COUNT).await?, 2);
    let listed = list(&build_app(&world)?, true).await?;
    assert!(listed.iter().all(|it| it.reason != Reason::ReceiptRefused), "{listed:?}");
    Ok(())
}
