//! The real client library against this server: the scripts `tests/auth-js*.mjs`, run by Node.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use identity::app::policy::{Clients, Policy};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::admin::service_key;
use crate::providers::World;
use crate::test_server::{PUBLIC_URL, TestServer};
use crate::third_parties::ThirdParties;

/// The mailbox of this test: returns the newest mail, with `to` the newest to that address.
async fn mailbox(
    State(server): State<Arc<TestServer>>,
    Query(asked): Query<HashMap<String, String>>,
) -> Json<Value> {
    let mail = match asked.get("to") {
        Some(to) => server.latest_mail_to(to).await.unwrap(),
        None => server.latest_mail().await,
    };
    Json(json!({ "code": mail.code, "link": mail.link, "purpose": mail.purpose }))
}

async fn run(part: &str, server: TestServer) {
    run_script(("auth-js.mjs", &[part]), server).await;
}

/// Runs a script with the server and the newest mail.
async fn run_script((script, arguments): (&str, &[&str]), server: TestServer) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = here.join("../../web/node_modules/@supabase/auth-js/package.json");
    assert!(
        library.exists(),
        "the client library is not installed: run `npm ci` in web/, \
         or start the tests by `make test`"
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mailbox_url = format!("http://{}/", listener.local_addr().unwrap());
    let server = Arc::new(server);
    let router = Router::new().route("/", get(mailbox)).with_state(server.clone());
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let arguments = [arguments, &[server.url.as_str(), mailbox_url.as_str()]].concat();
    node(script, &arguments).await;
    serving.abort();
}

/// Runs a script of this folder, which must succeed.
async fn node(script: &str, arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let output = Command::new("node").arg(script).args(arguments).output().await.unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
async fn the_client_library_administers_and_uses_phones_and_providers() {
    let world = World::everything().await;
    let key = service_key(&world.server).await;
    let (server, sandbox) = (world.server.url.as_str(), world.parties.url.as_str());
    node("auth-js-ways-in.mjs", &[server, &key, sandbox]).await;
}

#[tokio::test]
async fn the_client_library_works_in_both_flows_for_apps_of_other_makers() {
    let parties = ThirdParties::start().await;
    let policy = Policy { clients: Clients::Any, ..Policy::default() };
    let features = parties.everything();
    let server = TestServer::start_full((true, PUBLIC_URL), policy, features).await;
    run_script(("auth-js-flows.mjs", &[parties.url.as_str()]), server).await;
}

#[tokio::test]
async fn the_client_library_works_with_confirmed_addresses() {
    run("confirming", TestServer::with_confirmation().await).await;
}

#[tokio::test]
async fn the_client_library_works_without_confirmation() {
    run("trusting", TestServer::without_confirmation().await).await;
}

#[tokio::test]
async fn the_client_library_signs_in_by_code_and_with_pkce() {
    run("flows", TestServer::with_confirmation().await).await;
}

#[tokio::test]
async fn the_client_library_works_with_factors_and_passkeys() {
    let server = TestServer::without_confirmation().await;
    run_script(("auth-js-factors.mjs", &[]), server).await;
}
