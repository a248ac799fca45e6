//! What is answered from memory: seldom asked for, never stale for whoever changed it, counted like
//! everything else, and with the same rules for browsers.

use http::StatusCode;
use serde_json::json;

use crate::world::{Wishes, World, allowance, token};

const SERVICE: &str = "/rpc/catalogue.v1.CatalogueService/GetService\
    ?connect=v1&encoding=json&message=%7B%22serviceId%22%3A%22a%22%7D";
const TIMES: &str = "/rpc/booking.v1.BookingService/ListSlots\
    ?connect=v1&encoding=json&message=%7B%22serviceId%22%3A%22a%22%7D";
/// On a busy machine an answer may be too old before it is asked for again; then once more.
const TRIES: usize = 50;

/// How many calls have reached the services.
fn calls(world: &World) -> usize {
    world.grpc.seen.metadata.lock().unwrap().len()
}

/// Whether two questions in a row became one call.
async fn is_asked_once(world: &World, path: &str) -> bool {
    let before = calls(world);
    let first = world.get(path).await;
    let second = world.get(path).await;
    assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
    for name in ["content-type", "cache-control", "x-content-type-options"] {
        assert_eq!(first.headers().get(name), second.headers().get(name), "{name}");
    }
    assert_eq!(first.headers().get("etag"), second.headers().get("etag"));
    assert_eq!(first.bytes().await.unwrap(), second.bytes().await.unwrap());
    calls(world) <= before + 1
}

async fn is_sometimes_asked_once(world: &World, path: &str) -> bool {
    for _ in 0..TRIES {
        if is_asked_once(world, path).await {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn many_who_ask_the_same_make_one_call() {
    let world = World::new().await;
    assert!(is_sometimes_asked_once(&world, SERVICE).await);
    assert!(is_sometimes_asked_once(&world, TIMES).await);
    assert_eq!(world.get(TIMES).await.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn a_list_of_times_is_never_older_than_what_changed_them() {
    let world = World::new().await;
    let release = "booking.v1.BookingService/ReleaseBooking";
    for count in 1..=TRIES {
        assert_eq!(world.get(TIMES).await.status(), StatusCode::OK);
        assert_eq!(calls(&world), count, "a list from before the release was found");
        let released = world.call(release, &json!({ "bookingId": "bkg_1" })).bearer_auth(token());
        assert_eq!(released.send().await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn what_is_kept_counts_for_the_limit() {
    let mut wishes = Wishes::default();
    wishes.allowances.address = allowance(3, 1);
    let world = World::with(wishes).await;
    for _ in 0..3 {
        assert_eq!(world.get(SERVICE).await.status(), StatusCode::OK);
    }
    assert_eq!(world.get(SERVICE).await.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn an_answer_that_failed_is_not_kept() {
    let world = World::new().await;
    let path = SERVICE.replace("%22a%22", "%22unknown%22");
    for count in 1..=3 {
        assert_eq!(world.get(&path).await.status(), StatusCode::NOT_FOUND);
        assert_eq!(calls(&world), count);
    }
}

#[tokio::test]
async fn only_what_the_log_tells_of_has_a_reference() {
    let world = World::new().await;
    assert!(!world.get("/about").await.headers().contains_key("x-reference-id"));
    assert!(!world.get("/assets/app-1a2b.js").await.headers().contains_key("x-reference-id"));
    assert!(world.get("/nothing").await.headers().contains_key("x-reference-id"));
}
