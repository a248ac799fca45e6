//! The probe does what a request does and leaves nothing that a person, a figure or another service
//! could see.

use std::sync::Arc;

use booking::app::probe::{end_timer, hold_and_release};

use crate::world::World;

#[tokio::test]
async fn it_holds_and_releases_a_time_and_leaves_one_timer() {
    let world = World::without_timers().await;
    for _ in 0..3 {
        hold_and_release(Arc::clone(&world.app)).await.unwrap();
    }
    for table in
        ["events", "outbox", "bookings", "slot_reservations", "booking_contacts", "hold_origins"]
    {
        let rows: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from {table}")))
                .fetch_one(world.app.store.pool())
                .await
                .unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    assert_eq!(world.count("select count(*) from timers where kind = 'probe'").await, 1);
    end_timer(&world.app).await.unwrap();
    assert_eq!(world.count("select count(*) from timers where kind = 'probe'").await, 0);
}

/// What stops customers stops the probe: a day whose lock is held, a table that refuses rows.
#[tokio::test]
async fn it_fails_when_no_customer_could_hold_a_time() {
    let world = World::without_timers().await;
    let full = "create function refuse() returns trigger language plpgsql as
                    $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$;
                create trigger refuse before insert on slot_reservations
                    for each row execute function refuse();";
    world.db.as_owner(full).await.unwrap();
    hold_and_release(Arc::clone(&world.app)).await.unwrap_err();
    assert_eq!(world.count("select count(*) from timers where kind = 'probe'").await, 0);
    world.db.as_owner("drop trigger refuse on slot_reservations").await.unwrap();
    hold_and_release(Arc::clone(&world.app)).await.unwrap();
}
