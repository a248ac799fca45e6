//! What metrics tell about mails: how many wait, and for how long one has been tried.

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use notifications::repository::gauges;
use serde_json::json;
use testkit::figures;

use crate::world::World;

#[tokio::test]
async fn mails_are_told_by_state_and_a_mail_server_that_is_down_by_its_age() -> Result<()> {
    let world = World::new().await?;
    let quiet = figures(&gauges::mails(world.store.pool()).await?);
    assert_eq!((quiet["sukoon.mails retrying"], quiet["sukoon.mails.lateness"]), (0, 0));
    let later = json!({ "target": "smtp", "kind": "refuse", "status": 451, "times": 2 });
    world.order_fault(later).await?;
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id }).await?;
    world.until_tried("hold_ended", 1).await?;
    let told = figures(&gauges::mails(world.store.pool()).await?);
    assert_eq!((told["sukoon.mails retrying"], told["sukoon.mails sent"]), (1, 0));

    world.move_clock(40).await?;
    world.until_tried("hold_ended", 2).await?;
    let told = figures(&gauges::mails(world.store.pool()).await?);
    assert!((40..300).contains(&told["sukoon.mails.lateness"]), "{told:?}");

    world.move_clock(40 + 80).await?;
    world.until_idle().await?;
    let told = figures(&gauges::mails(world.store.pool()).await?);
    assert_eq!((told["sukoon.mails retrying"], told["sukoon.mails sent"]), (0, 1));
    assert_eq!(told["sukoon.mails.lateness"], 0);
    world.end().await
}
