//! Times that are held and not paid are limited per account, device and network, with a pause that
//! grows slowly; never for an account that has paid once.

use std::sync::Arc;

use booking::app::App;
use booking::app::free_session::Client;
use booking::app::hold_origin::HoldOrigin;
use booking::app::release_booking::release_booking;
use booking::app::request_booking::request_booking;
use booking::domain::hold_limit::{HoldLimit, HoldLimits};
use booking::error::{Error, Rejection};
use booking::retention;
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id};

use crate::world::{World, at, customer, new_request};

/// Two holds are free, each further one waits ten minutes longer.
const TWO: HoldLimit = HoldLimit::new(2, 600);
const MANY: HoldLimit = HoldLimit::new(u32::MAX, 0);

fn app(world: &World, [account, device, network]: [HoldLimit; 3]) -> Arc<App> {
    world.another_with_hold_limits(HoldLimits { account, device, network })
}

/// A time of its own with each turn.
async fn hold(
    app: &Arc<App>,
    customer: Id<Customer>,
    turn: i64,
    origin: HoldOrigin,
) -> Result<Id<Booking>, Error> {
    let request = new_request("meditation", at(1 + turn / 6, 11 + turn % 6));
    let client = Client { origin, ..customer.into() };
    request_booking(app, client, request).await.map(|held| held.id)
}

fn minutes(refused: Result<Id<Booking>, Error>) -> i32 {
    match refused {
        Err(CommandError::Rejected(Rejection::HeldTooOften(minutes))) => minutes,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_does_not_pay_waits_longer_with_each_time() {
    let world = World::without_timers().await;
    let app = app(&world, [TWO, MANY, MANY]);
    let nowhere = HoldOrigin::default;
    for turn in 0..2 {
        hold(&app, customer(1), turn, nowhere()).await.unwrap();
        world.minutes_later(16).await;
    }
    // The pause counts from the last request, sixteen minutes ago, and was ten minutes.
    hold(&app, customer(1), 2, nowhere()).await.unwrap();
    world.minutes_later(16).await;
    assert_eq!(minutes(hold(&app, customer(1), 3, nowhere()).await), 4);
    hold(&app, customer(2), 3, nowhere()).await.unwrap();
    world.minutes_later(4).await;
    hold(&app, customer(1), 4, nowhere()).await.unwrap();
    // A day later all is forgotten.
    world.minutes_later(24 * 60).await;
    hold(&app, customer(1), 30, nowhere()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_who_has_paid_once_has_no_limit() {
    let world = World::without_timers().await;
    let app = app(&world, [TWO, TWO, TWO]);
    let origin = || HoldOrigin { network: Some(vec![1]), device: Some(vec![2]) };
    let paid = hold(&app, customer(1), 0, origin()).await.unwrap();
    world.pay(paid, "pay_1").await;
    for turn in 1..6 {
        hold(&app, customer(1), turn, origin()).await.unwrap();
        world.minutes_later(16).await;
    }
    assert!(minutes(hold(&app, customer(2), 7, origin()).await) > 0, "the network's are used up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_time_that_is_released_counts_at_once() {
    let world = World::without_timers().await;
    let app = app(&world, [MANY, TWO, TWO]);
    let origins = [
        HoldOrigin { network: Some(vec![1]), device: None },
        HoldOrigin { network: None, device: Some(vec![2]) },
    ];
    for (origin, first) in origins.into_iter().zip([1_i64, 10]) {
        for turn in first..first + 3 {
            let customer = customer(u128::from(turn.unsigned_abs()));
            let held = hold(&app, customer, turn, origin.clone()).await.unwrap();
            release_booking(&app, customer, held, &format!("release-{turn}")).await.unwrap();
            if turn == first + 1 {
                world.minutes_later(11).await;
            }
        }
        let refused = hold(&app, customer(99), first + 3, origin).await;
        assert_eq!(minutes(refused), 20);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_accounts_of_a_device_or_a_network_share_its_limit() {
    let world = World::without_timers().await;
    let device = || HoldOrigin { network: None, device: Some(vec![2]) };
    let network = || HoldOrigin { network: Some(vec![1]), device: None };
    let app = app(&world, [MANY, TWO, HoldLimit::new(3, 600)]);
    for turn in 0..2_i64 {
        hold(&app, customer(10 + u128::from(turn.unsigned_abs())), turn, device()).await.unwrap();
    }
    for turn in 2..5_i64 {
        hold(&app, customer(10 + u128::from(turn.unsigned_abs())), turn, network()).await.unwrap();
    }
    // While they are held, they may still be paid.
    hold(&app, customer(20), 5, device()).await.unwrap();
    world.minutes_later(16).await;
    assert_eq!(minutes(hold(&app, customer(21), 6, device()).await), 4);
    assert!(hold(&app, customer(21), 6, HoldOrigin::default()).await.is_ok());
    // Ten minutes after the third are over.
    assert!(hold(&app, customer(22), 7, network()).await.is_ok());
    // Only hashes are stored, and not for long.
    let rows = "select count(*) from hold_origins";
    assert_eq!(world.count(rows).await, 7);
    world.minutes_later(2 * 24 * 60).await;
    retention::delete_expired(&app.store, "test").await.unwrap();
    assert_eq!(world.count(rows).await, 0);
}
