//! Bodies that never end are not waited for, and all that are waited for fit into one budget.

use std::time::Duration;

use http::StatusCode;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::raw::{self, PATIENCE};
use crate::world::{Wishes, World};

const KIBIBYTE: usize = 1024;
const CALL: &str = "catalogue.v1.CatalogueService/GetService";

/// A request that announces more than it sends.
async fn unfinished(world: &World, line: &str, (sent, announced): (usize, usize)) -> TcpStream {
    let mut stream = raw::connect(world).await;
    let head = format!(
        "{line} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 192.0.2.1\r\n\
         content-length: {announced}\r\n\r\n"
    );
    raw::send(&mut stream, head).await;
    raw::send(&mut stream, vec![b'x'; sent]).await;
    stream
}

#[tokio::test]
async fn a_body_that_does_not_end_is_answered_and_its_connection_closed() {
    let mut wishes = Wishes::default();
    wishes.bodies.patience = Duration::from_millis(300);
    let world = World::with(wishes).await;
    let lines = [
        "PUT /auth/v1/user",
        "POST /auth/v1/signup",
        "POST /webhooks/razorpay",
        "POST /unsubscribe?t=a",
    ];
    for line in lines {
        let mut stream = unfinished(&world, line, (3, 100)).await;
        let said = raw::until_closed(&mut stream).await;
        assert!(said.starts_with("HTTP/1.1 408"), "{line}: {said}");
    }
    assert!(world.identity.http.lock().unwrap().is_empty());
    assert!(world.payments.http.lock().unwrap().is_empty());
}

async fn world(most: usize, share: usize) -> World {
    let mut wishes = Wishes { trust_proxy: true, ..Wishes::default() };
    (wishes.bodies.most, wishes.bodies.share) = (most, share);
    World::with(wishes).await
}

fn from(request: RequestBuilder, address: &str) -> RequestBuilder {
    request.header("x-forwarded-for", address)
}

fn call(world: &World, bytes: usize) -> RequestBuilder {
    world.call(CALL, &json!({ "serviceId": "x".repeat(bytes) }))
}

fn webhook(world: &World, bytes: usize) -> RequestBuilder {
    world.client.post(world.url("/webhooks/razorpay")).body("x".repeat(bytes))
}

fn sign_in(world: &World, bytes: usize) -> RequestBuilder {
    world.client.post(world.url("/auth/v1/token?grant_type=password")).body("x".repeat(bytes))
}

async fn until(status: StatusCode, ask: impl AsyncFn() -> Response) -> Response {
    let asking = async {
        loop {
            let answer = ask().await;
            if answer.status() == status {
                return answer;
            }
        }
    };
    timeout(PATIENCE, asking).await.expect("it stays as it is")
}

#[tokio::test]
async fn all_bodies_in_flight_share_one_budget() {
    let world = world(64 * KIBIBYTE, 64 * KIBIBYTE).await;
    let large = 8 * KIBIBYTE;
    for one in [call(&world, large), webhook(&world, large), sign_in(&world, large)] {
        assert_eq!(from(one, "192.0.2.2").send().await.unwrap().status(), StatusCode::OK);
    }
    let held = unfinished(&world, "POST /webhooks/razorpay", (60 * KIBIBYTE, 90 * KIBIBYTE)).await;
    let no_room = StatusCode::SERVICE_UNAVAILABLE;
    let ask = async || from(call(&world, large), "192.0.2.2").send().await.unwrap();
    let refused = until(no_room, ask).await;
    assert_eq!(refused.headers()["retry-after"], "2");
    let error: Value = refused.json().await.unwrap();
    assert_eq!(error["code"], "unavailable");
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    let refused = from(webhook(&world, large), "192.0.2.2").send().await.unwrap();
    assert_eq!(refused.status(), no_room);
    let refused = from(sign_in(&world, large), "192.0.2.2").send().await.unwrap();
    assert_eq!(refused.status(), no_room);
    assert_eq!(refused.headers()["x-sb-error-code"], "service_unavailable");
    // Pages need none of it.
    assert_eq!(world.get("/about").await.status(), StatusCode::OK);
    drop(held);
    until(StatusCode::OK, ask).await;
}

#[tokio::test]
async fn one_networks_bodies_leave_room_for_others() {
    let world = world(64 * KIBIBYTE, 8 * KIBIBYTE).await;
    let line = "POST /auth/v1/signup";
    let _held = unfinished(&world, line, (30 * KIBIBYTE, 90 * KIBIBYTE)).await;
    let own = async || from(call(&world, 4 * KIBIBYTE), "192.0.2.1").send().await.unwrap();
    until(StatusCode::SERVICE_UNAVAILABLE, own).await;
    let other = from(call(&world, 4 * KIBIBYTE), "192.0.2.2").send().await.unwrap();
    assert_eq!(other.status(), StatusCode::OK);
}
