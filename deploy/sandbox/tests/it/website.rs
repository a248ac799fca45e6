//! What the tests run against: a website with a webhook endpoint, and a running sandbox.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use reqwest::{Client, RequestBuilder, Response};
use sandbox::{Sandbox, Settings};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

pub(crate) const KEY: &str = "rzp_test_demo";
pub(crate) const SECRET: &str = "demo-key-secret";

/// A webhook as it was received.
#[derive(Clone)]
pub(crate) struct Arrived {
    pub(crate) event_id: String,
    pub(crate) signature: String,
    pub(crate) body: Vec<u8>,
}

impl Arrived {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn event(&self) -> String {
        self.json()["event"].as_str().unwrap().to_owned()
    }
}

#[derive(Default)]
struct Letterbox {
    arrived: Mutex<Vec<Arrived>>,
    /// How many webhooks will still be answered with 500.
    refusals: AtomicU64,
}

/// A website that receives webhooks.
pub(crate) struct Website {
    letterbox: Arc<Letterbox>,
    pub(crate) url: String,
    task: JoinHandle<()>,
}

impl Website {
    pub(crate) async fn open() -> Self {
        let letterbox = Arc::new(Letterbox::default());
        let app = Router::new().route("/webhooks", post(take)).with_state(letterbox.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/webhooks", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { letterbox, url, task }
    }

    pub(crate) fn refuse_next(&self, times: u64) {
        self.letterbox.refusals.store(times, Ordering::SeqCst);
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.letterbox.arrived.lock().unwrap().clone()
    }

    pub(crate) fn events(&self) -> Vec<String> {
        self.arrived().iter().map(Arrived::event).collect()
    }

    /// Waits until this many webhooks were received.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Arrived> {
        until(async || self.arrived().len() >= count).await;
        self.arrived()
    }
}

impl Drop for Website {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(letterbox): State<Arc<Letterbox>>, head: HeaderMap, body: Bytes) -> StatusCode {
    let text = |name: &str| head[name].to_str().unwrap().to_owned();
    letterbox.arrived.lock().unwrap().push(Arrived {
        event_id: text("x-razorpay-event-id"),
        signature: text("x-razorpay-signature"),
        body: body.to_vec(),
    });
    let one_less = |left: u64| left.checked_sub(1);
    match letterbox.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
        Ok(_) => StatusCode::INTERNAL_SERVER_ERROR,
        Err(_) => StatusCode::OK,
    }
}

/// Waits until a condition is true, and fails after a timeout.
pub(crate) async fn until(condition: impl AsyncFn() -> bool) {
    let come_true = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), come_true).await.expect("it never came true");
}

/// A folder that is removed after the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("sandbox-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A running sandbox on its own runtime, so that a kill stops everything it has started.
pub(crate) struct Running {
    pub(crate) url: String,
    pub(crate) smtp: SocketAddr,
    pub(crate) http: Client,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Running {
    pub(crate) async fn start(folder: &Folder, website: Option<&Website>) -> Self {
        let webhooks = website.map(|website| website.url.clone());
        Self::with(Settings::for_tests(folder.path(), webhooks)).await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let sandbox = runtime.spawn(Sandbox::bind(settings)).await.unwrap().unwrap();
        let (url, smtp) = (sandbox.url().to_owned(), sandbox.smtp_addr().unwrap());
        let address = sandbox.http_addr().unwrap();
        runtime.spawn(sandbox.serve());
        let http = Client::builder().no_proxy().build().unwrap();
        Self { url, smtp, http, address, runtime: Some(runtime) }
    }

    /// Stops it at once, without letting it finish anything.
    pub(crate) async fn kill(mut self) {
        let address = self.address;
        self.runtime.take().unwrap().shutdown_background();
        until(async || TcpStream::connect(address).await.is_err()).await;
    }

    pub(crate) fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.url)).basic_auth(KEY, Some(SECRET))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.http.post(format!("{}{path}", self.url)).basic_auth(KEY, Some(SECRET)).json(body)
    }

    pub(crate) async fn order(&self, receipt: &str, amount: i64) -> Value {
        let wanted = json!({
            "amount": amount, "currency": "INR", "receipt": receipt, "unique_receipt": true,
        });
        answer(self.post("/v1/orders", &wanted)).await
    }

    pub(crate) async fn pay(&self, order: &Value, outcome: &str) -> Value {
        let wanted = json!({ "order_id": order["id"], "method": "card", "outcome": outcome });
        answer(self.post("/api/pay", &wanted)).await
    }

    pub(crate) async fn fault(&self, fault: Value) {
        assert_eq!(status(self.post("/api/faults", &fault)).await, 201);
    }

    pub(crate) async fn book(&self) -> Value {
        answer(self.get("/api/book")).await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

pub(crate) async fn answer(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    assert!(response.status().is_success(), "{}", response.text().await.unwrap());
    response.json().await.unwrap()
}

pub(crate) async fn status(request: RequestBuilder) -> u16 {
    request.send().await.unwrap().status().as_u16()
}

/// The status and the error of a refusal.
pub(crate) async fn refused(request: RequestBuilder) -> (u16, Value) {
    let response: Response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    (status, body["error"].clone())
}
