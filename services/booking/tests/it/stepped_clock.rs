//! What a step of the machine's clock must not decide for good.

use std::sync::Arc;

use anyhow::Result;
use booking::consumers::payments::OnPayments;
use contract::booking::v1::BookingState;
use contract::payments::v1::PaymentVerified;
use eventstore::Store;
use messaging::ReactionError;

use crate::world::{World, at, customer};

/// Statements that ask for the machine's time get one that the test can set, because our schema
/// comes before PostgreSQL's own in sessions that begin later.
const CLOCK_THAT_STEPS: &str = "
    create table step (by interval not null);
    insert into step values ('0');
    grant select on step to public;
    create function clock_timestamp() returns timestamptz language sql volatile as '
        select pg_catalog.clock_timestamp() + (select by from public.step)';
    do $$ begin
        execute format('alter database %I set search_path = public, pg_catalog',
                       current_database());
    end $$;
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()";

async fn until_steady(store: &Store) -> Result<()> {
    testkit::until("the clock is believed", async || {
        let known = store.clone();
        let asked = store
            .write(eventstore::Metadata::by("test", None), move |tx| {
                let known = known.clone();
                Box::pin(async move { known.has_clock_stepped(tx).await })
            })
            .await;
        Ok(asked.is_ok_and(|has_stepped| !has_stepped).then_some(()))
    })
    .await
}

/// By a clock that is a day ahead the hold and the session would be over, and the money would go
/// back.
#[tokio::test]
async fn money_waits_while_the_clock_is_a_day_ahead() -> Result<()> {
    let world = World::new().await;
    let first = world.hold(customer(2), at(1, 15)).await;
    world.pay(first, "pay_bbbbbbbbbbbbbb").await;
    // Its room was made by a timer, so the timers have looked at the clock.
    world.reaches(first, BookingState::MeetingScheduled).await;
    let id = world.hold(customer(1), at(1, 12)).await;
    world.db.as_owner(CLOCK_THAT_STEPS).await?;
    until_steady(&world.app.store).await?;
    let verified = PaymentVerified {
        booking_id: id.to_string(),
        payment_id: "pay_aaaaaaaaaaaaaa".to_owned(),
        amount: None,
    };
    let on_payments = || Arc::new(OnPayments::new(Arc::clone(&world.app)));
    world.db.as_owner("update step set by = '2 days'").await?;
    let told = world.try_react(on_payments(), &verified).await;
    assert!(matches!(told, Err(ReactionError::Later(_))), "{told:?}");
    assert_eq!(world.booking_history(id).await, ["BookingRequested"]);
    world.db.as_owner("update step set by = '0'").await?;
    world.react(on_payments(), &verified).await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    Ok(())
}
