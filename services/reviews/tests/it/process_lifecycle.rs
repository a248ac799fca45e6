//! The whole process: settings, both ports, retention, and access to its feed.

use contract::common::v1::ReadFeedRequest;
use contract::common::v1::feed_service_client::FeedServiceClient;
use runtime::channel;
use staff::Role;
use testkit::until;
use tonic::Code;

use crate::world::{World, assert_rejected, customer, review_request};

#[tokio::test]
async fn it_is_ready_on_both_ports() {
    let world = World::new().await;
    until("it is ready", async || Ok(runtime::health::probe(&world.url).await.ok())).await.unwrap();
    let healthy = reqwest::get(format!("{}/healthz", world.http_url)).await.unwrap();
    assert_eq!(healthy.status().as_u16(), 200);
    // Repeated migration changes nothing.
    world.database.migrate(&reviews::MIGRATIONS).await.unwrap();
}

#[tokio::test]
async fn its_feed_is_for_notifications_only() {
    let world = World::new().await;
    let review = world.submit(review_request()).await.unwrap();
    let feed = |service: &'static str| {
        let peers = world.keys.peers(service).unwrap();
        FeedServiceClient::new(channel::peer(&world.url, "reviews", &peers).unwrap())
    };
    let answer = feed("payments").read_feed(ReadFeedRequest::default()).await;
    assert_rejected(answer, Code::PermissionDenied, "CALLER_NOT_ALLOWED", "");
    let events = until("the event has its place", async || {
        let asked = ReadFeedRequest::default();
        let events = feed("notifications").read_feed(asked).await?.into_inner().events;
        Ok((!events.is_empty()).then_some(events))
    })
    .await
    .unwrap();
    let event = events.first().unwrap();
    assert_eq!(event.event_type, "reviews.v1.ReviewSubmitted");
    assert!(event.payload_json.contains(&review.review_id));
}

#[tokio::test]
async fn old_keys_are_deleted_and_the_timer_is_set_again() {
    let world = World::new().await;
    world.submit(review_request()).await.unwrap();
    let keys = "select count(*) from idempotency_keys";
    assert_eq!(world.count(keys).await, 1);
    world.move_clock(31 * 86_400).await;
    until("the key is gone", async || Ok((world.count(keys).await == 0).then_some(())))
        .await
        .unwrap();
    let sweeps = "select count(*) from timers where kind = 'sweep' and due_at > clock_now()";
    until("it is set anew", async || Ok((world.count(sweeps).await == 1).then_some(())))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_short_key_for_invitations_is_refused_at_the_start() {
    let world = World::new().await;
    world.booking.set_role(customer(900), Some(Role::Owner));
    let mut config = world.config.clone();
    config.invitation_key = "short".to_owned().into();
    let failed = reviews::run(config, runtime::Shutdown::new()).await.unwrap_err();
    assert!(failed.to_string().contains("REVIEWS_INVITATION_KEY"), "{failed}");
}
