//! Sessions that another time zone would move to another date are detected.

use booking::app::release_booking::release_booking;
use booking::read_model::moved_zone::first_moved;

use crate::blocks::block;
use crate::world::{World, at, customer};

#[tokio::test]
async fn bookings_moved_by_another_time_zone_are_found() {
    let world = World::new().await;
    let moved = async |zone: &str| first_moved(world.app.store.pool(), zone).await.unwrap();
    let early = world.hold(customer(1), at(1, 12)).await;
    world.hold(customer(2), at(1, 16)).await;
    block(&world, "18:00", "18:30").await.unwrap();
    assert_eq!(moved("Asia/Kolkata").await, None);
    assert_eq!(moved("Asia/Colombo").await, None, "the same hours by another name");
    // Noon is the morning of the same day in Berlin, and the evening before in Los Angeles.
    assert_eq!(moved("Europe/Berlin").await, None);
    assert_eq!(moved("America/Los_Angeles").await, Some(at(1, 12)));
    release_booking(&world.app, customer(1), early, "release-1").await.unwrap();
    assert_eq!(moved("America/Los_Angeles").await, None);
    // Six in the evening is the next morning there.
    assert!(moved("Pacific/Auckland").await.is_some());
}
