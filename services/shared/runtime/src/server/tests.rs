//! A server tells whether it is ready, passes traces on, answers with reasons, and ends in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::catalogue::v1::ListServicesRequest;
use contract::catalogue::v1::catalogue_service_client::CatalogueServiceClient;
use contract::common::v1::feed_service_client::FeedServiceClient;
use contract::common::v1::feed_service_server::{FeedService, FeedServiceServer};
use contract::common::v1::{ReadFeedRequest, ReadFeedResponse};
use tokio::task::JoinHandle;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::{Error, REQUEST_BYTES_MAX, Server, listen, serve_http};
use crate::health::{Checks, Probe, Unready, probe};
use crate::{Shutdown, channel, metrics, status};

/// Refuses each call, except that it holds those for position 1 until the process stops.
struct Feed {
    shutdown: Shutdown,
    begun: Arc<tokio::sync::Notify>,
}

#[tonic::async_trait]
impl FeedService for Feed {
    async fn read_feed(
        &self,
        request: Request<ReadFeedRequest>,
    ) -> Result<Response<ReadFeedResponse>, Status> {
        if request.get_ref().after_position == 1 {
            self.begun.notify_one();
            self.shutdown.wait().await;
            return Ok(Response::new(ReadFeedResponse::default()));
        }
        Err(status::invalid("limit", "INVALID_LIMIT", "The limit is too high."))
    }
}

struct Running {
    url: String,
    shutdown: Shutdown,
    begun: Arc<tokio::sync::Notify>,
    served: JoinHandle<Result<(), Error>>,
}

async fn start(checks: Checks) -> Running {
    let shutdown = Shutdown::new();
    let begun = Arc::new(tokio::sync::Notify::new());
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), &shutdown).await.unwrap();
    let url = format!("http://{}", server.address().unwrap());
    let feed = Feed { shutdown: shutdown.clone(), begun: begun.clone() };
    let service = FeedServiceServer::new(feed).max_decoding_message_size(REQUEST_BYTES_MAX);
    let served = tokio::spawn(server.ready(checks).serve(Routes::new(service)));
    Running { url, shutdown, begun, served }
}

/// Asks again until the answer is the wanted one; readiness follows its checks within a second.
async fn until(url: &str, wanted: Result<(), Unready>) {
    let probe = Probe::new(url).unwrap();
    let mut pause = tokio::time::interval(std::time::Duration::from_millis(20));
    while probe.check().await != wanted {
        pause.tick().await;
    }
}

#[tokio::test]
async fn readiness_follows_the_checks() {
    let good = Arc::new(AtomicBool::new(false));
    let seen = good.clone();
    let check = move || {
        let good = seen.load(Ordering::SeqCst);
        async move { if good { Ok(()) } else { Err("not yet") } }
    };
    let checks = Checks::new().check("database", check);
    assert_eq!(checks.failing().await, [("database", "not yet".to_owned())]);
    let running = start(checks).await;
    assert_eq!(probe(&running.url).await, Err(Unready::NotReady));
    good.store(true, Ordering::SeqCst);
    until(&running.url, Ok(())).await;
    good.store(false, Ordering::SeqCst);
    until(&running.url, Err(Unready::NotReady)).await;
    running.shutdown.trigger();
    running.served.await.unwrap().unwrap();
    assert_eq!(probe(&running.url).await, Err(Unready::Unreachable));
    assert_eq!(probe("nowhere").await, Err(Unready::Address));
}

#[tokio::test]
async fn a_concern_is_told_and_readiness_does_not_depend_on_it() {
    let good = Arc::new(AtomicBool::new(false));
    let seen = good.clone();
    let checks = Checks::new().concern("orders", move || {
        let good = seen.load(Ordering::SeqCst);
        async move { if good { Ok(()) } else { Err("refused") } }
    });
    let running = start(checks).await;
    until(&running.url, Ok(())).await;
    let probe = Probe::new(&running.url).unwrap();
    assert_eq!(probe.concern("orders").await, Err(Unready::Concerned));
    assert_eq!(probe.concern("older processes do not know it").await, Ok(()));
    good.store(true, Ordering::SeqCst);
    let mut pause = tokio::time::interval(std::time::Duration::from_millis(20));
    while probe.concern("orders").await != Ok(()) {
        pause.tick().await;
    }
    running.shutdown.trigger();
    running.served.await.unwrap().unwrap();
    assert_eq!(probe.concern("orders").await, Err(Unready::Unreachable));
}

#[tokio::test]
async fn a_refusal_arrives_with_its_reason() {
    let running = start(Checks::new()).await;
    let mut client = FeedServiceClient::new(channel::connect_lazy(&running.url).unwrap());
    let refused = client.read_feed(ReadFeedRequest::default()).await.unwrap_err();
    let detail = status::detail_of(&refused).unwrap();
    assert_eq!((detail.reason.as_str(), detail.field.as_str()), ("INVALID_LIMIT", "limit"));
    running.shutdown.trigger();
    running.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_running_call_is_finished_before_the_server_ends() {
    let running = start(Checks::new()).await;
    let mut client = FeedServiceClient::new(channel::connect_lazy(&running.url).unwrap());
    let call = tokio::spawn(async move {
        client.read_feed(ReadFeedRequest { after_position: 1, ..Default::default() }).await
    });
    running.begun.notified().await;
    running.shutdown.trigger();
    call.await.unwrap().unwrap();
    running.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let first = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let address = first.local_addr().unwrap();
    let error = listen(address).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {address}"));
}

#[tokio::test]
async fn http_is_served_until_the_end_is_asked_for() {
    let shutdown = Shutdown::new();
    let listener = listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let url = format!("http://{}/hooks/7", listener.local_addr().unwrap());
    let router = axum::Router::new().route("/hooks/{id}", axum::routing::get(|| async { "seen" }));
    let stop = shutdown.clone();
    let served = tokio::spawn(async move { serve_http(listener, router, &stop).await });
    let answer = crate::http::client().unwrap().get(url).send().await.unwrap();
    assert_eq!(answer.text().await.unwrap(), "seen");
    shutdown.trigger();
    served.await.unwrap().unwrap();
}

/// Calls and requests as Prometheus reads them.
#[tokio::test]
async fn calls_and_requests_are_measured_by_method_and_outcome() {
    let running = start(Checks::new()).await;
    let shutdown = running.shutdown.clone();
    let any = "127.0.0.1:0".parse().unwrap();
    let metrics = metrics::endpoint::open("booking", any, &shutdown).await.unwrap();
    let mut client = FeedServiceClient::new(channel::connect_lazy(&running.url).unwrap());
    client.read_feed(ReadFeedRequest::default()).await.unwrap_err();
    let elsewhere = channel::connect_lazy(&running.url).unwrap();
    let mut elsewhere = CatalogueServiceClient::new(elsewhere);
    elsewhere.list_services(ListServicesRequest::default()).await.unwrap_err();
    let listener = listen(any).await.unwrap();
    let url = format!("http://{}/hooks/asha@example.org", listener.local_addr().unwrap());
    let router = axum::Router::new().route("/hooks/{id}", axum::routing::get(|| async { "seen" }));
    let stop = shutdown.clone();
    tokio::spawn(async move { serve_http(listener, router, &stop).await });
    let http = crate::http::client().unwrap();
    http.get(url).send().await.unwrap();
    let text = http.get(format!("http://{metrics}/metrics")).send().await.unwrap();
    let text = text.text().await.unwrap();
    for series in [
        "rpc_server_call_duration_seconds_count{rpc_method=\"common.v1.FeedService/ReadFeed\",\
         rpc_response_status_code=\"INVALID_ARGUMENT\",rpc_system_name=\"grpc\"}",
        "rpc_server_call_duration_seconds_count{error_type=\"UNIMPLEMENTED\",rpc_method=\"_OTHER\",\
         rpc_response_status_code=\"UNIMPLEMENTED\",rpc_system_name=\"grpc\"}",
        "http_server_request_duration_seconds_count{http_request_method=\"GET\",\
         http_response_status_code=\"200\",http_route=\"/hooks/{id}\"}",
    ] {
        assert!(text.contains(series), "{series} is missing in {text}");
    }
    assert!(!text.contains("asha"), "{text}");
    shutdown.trigger();
    running.served.await.unwrap().unwrap();
}
