//! The meeting of a session that is moved gets its time, however often that takes, and keeps its
//! link.

use booking::app::move_booking::move_own_booking;
use booking::app::move_meeting::move_meeting;
use booking::app::schedule_meeting::schedule_meeting;
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use serde_json::{Value, json};

use crate::moves::to;
use crate::third_parties::ThirdParties;
use crate::world::{World, at, customer};
use crate::zoom_rooms::{at_zoom, meetings, paid};

async fn moved(world: &World, id: Id<Booking>, hours: (i64, i64)) {
    let times = (at(2, hours.0), at(2, hours.1));
    move_own_booking(&world.app, customer(1), to(id, times)).await.unwrap();
}

async fn tell(world: &World, id: Id<Booking>) -> Result<(), booking::error::Error> {
    move_meeting(&world.app, Metadata::by("booking", None), id).await
}

async fn room(world: &World, id: Id<Booking>) {
    schedule_meeting(&world.app, Metadata::by("booking", None), id).await.unwrap();
}

async fn start(server: &ThirdParties) -> Value {
    let all = meetings(server).await;
    assert_eq!(all.len(), 1);
    all.first().and_then(|it| it.get("start_time")).cloned().unwrap_or_default()
}

const WAITING: &str = "select count(*) from timers where kind = 'move-meeting'";

#[tokio::test]
async fn a_moved_meeting_keeps_its_link_and_its_number() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    room(&world, id).await;
    let before = world.view(id).await.booking.join_url;
    moved(&world, id, (11, 14)).await;
    assert_eq!(start(&server).await, json!("2026-11-26T05:30:00Z"));
    tell(&world, id).await.unwrap();
    assert_eq!(start(&server).await, json!("2026-11-26T08:30:00Z"));
    assert_eq!(world.view(id).await.booking.join_url, before);
    assert_eq!(world.count(WAITING).await, 0);
}

#[tokio::test]
async fn what_zoom_does_not_take_is_told_again() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    room(&world, id).await;
    moved(&world, id, (11, 14)).await;
    for fault in [
        json!({ "kind": "refuse", "status": 429, "code": "429" }),
        json!({ "kind": "status", "status": 500 }),
        json!({ "kind": "drop" }),
        json!({ "kind": "timeout_after_success", "delay_ms": 1 }),
    ] {
        server.fault_of("zoom.change", fault).await;
        assert!(tell(&world, id).await.is_err());
        assert_eq!(world.count(WAITING).await, 1);
    }
    tell(&world, id).await.unwrap();
    assert_eq!(start(&server).await, json!("2026-11-26T08:30:00Z"));
    assert_eq!(world.count(WAITING).await, 0);
    // A person deleted it at Zoom.
    moved(&world, id, (14, 15)).await;
    server.deleted("/api/zoom").await;
    tell(&world, id).await.unwrap();
    assert_eq!(world.count(WAITING).await, 0);
}

/// The room is asked for with the time before, and the answer comes after the move.
#[tokio::test]
async fn a_session_that_is_moved_while_its_meeting_is_made_is_told_afterwards() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    server.fault_of("zoom.create", json!({ "kind": "timeout_after_success", "delay_ms": 1 })).await;
    assert!(schedule_meeting(&world.app, Metadata::by("booking", None), id).await.is_err());
    moved(&world, id, (11, 14)).await;
    assert_eq!(world.count(WAITING).await, 0, "there is no room yet");
    room(&world, id).await;
    assert_eq!(world.count(WAITING).await, 1);
    tell(&world, id).await.unwrap();
    assert_eq!(start(&server).await, json!("2026-11-26T08:30:00Z"));
}
