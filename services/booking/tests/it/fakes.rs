//! Fakes of the services booking calls: a catalogue, a meeting provider, an identity server's keys.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use booking::clients::meetings::MeetingSecrets;
use contract::catalogue::v1::catalogue_internal_service_server::{
    CatalogueInternalService, CatalogueInternalServiceServer,
};
use contract::catalogue::v1::{GetOfferingRequest, GetOfferingResponse, Package};
use contract::common::v1::Money;
use runtime::caller::Peers;
use runtime::{Shutdown, server};
use serde_json::{Value, json};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// Booking's token at the meeting provider.
const MEETING_TOKEN: &str = "a-meeting-token";

struct Offerings {
    peers: Peers,
}

#[tonic::async_trait]
impl CatalogueInternalService for Offerings {
    async fn get_offering(
        &self,
        request: Request<GetOfferingRequest>,
    ) -> Result<Response<GetOfferingResponse>, Status> {
        self.peers.verify(request.metadata(), &["booking"])?;
        let service_id = request.into_inner().service_id;
        let (title, duration_minutes, minor_units) = match service_id.as_str() {
            "meditation" => ("Meditation", 60, 50_000),
            "energy-healing" => ("Energy Healing", 90, 110_000),
            "karmic-healing" => ("Karmic Healing", 90, 210_000),
            "free-lunch" => ("Free Lunch", 60, 0),
            "free-consultation" => ("Free Consultation", 15, 0),
            "yearly-consultation" => ("Yearly Consultation", 15, 0),
            _ => return Err(runtime::status::not_found("SERVICE_NOT_FOUND")),
        };
        let by_ravi_alone = service_id == "karmic-healing";
        let free = service_id.ends_with("-consultation");
        let repeat_after_days = if service_id == "yearly-consultation" { 365 } else { 0 };
        let practitioner_ids = by_ravi_alone.then(|| "ravi".to_owned());
        Ok(Response::new(GetOfferingResponse {
            title: title.to_owned(),
            packages: if free { Vec::new() } else { vec![starter()] },
            service_id,
            duration_minutes,
            price: Some(Money { minor_units, currency_code: "INR".to_owned() }),
            practitioner_ids: practitioner_ids.into_iter().collect(),
            free,
            repeat_after_days,
        }))
    }
}

/// Three sessions within two months, for a price that three do not divide.
fn starter() -> Package {
    Package {
        package_id: "starter".to_owned(),
        title: "Starter Package".to_owned(),
        sessions: 3,
        price: Some(Money { minor_units: 450_001, currency_code: "INR".to_owned() }),
        within_days: 60,
        notice_hours: 24,
        ..Package::default()
    }
}

/// Starts a catalogue and returns its URL.
pub(crate) async fn catalogue(peers: Peers, shutdown: &Shutdown) -> String {
    let address = "127.0.0.1:0".parse().unwrap();
    let server = server::Server::bind(address, shutdown).await.unwrap();
    let url = format!("http://{}", server.address().unwrap());
    let routes = Routes::new(CatalogueInternalServiceServer::new(Offerings { peers }));
    tokio::spawn(server.serve(routes));
    url
}

/// The requests that the meeting provider received.
#[derive(Clone, Default)]
pub(crate) struct Rooms {
    asked: Arc<Mutex<Vec<Value>>>,
    by_key: Arc<Mutex<BTreeMap<String, String>>>,
    failures: Arc<AtomicUsize>,
}

impl Rooms {
    /// Makes the next requests fail.
    pub(crate) fn fail(&self, times: usize) {
        self.failures.store(times, Ordering::SeqCst);
    }

    /// The bodies of all requests so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }

    /// How many rooms there are.
    pub(crate) fn count(&self) -> usize {
        self.by_key.lock().unwrap().len()
    }
}

async fn create(
    State(rooms): State<Rooms>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if header("authorization") != format!("Bearer {MEETING_TOKEN}") {
        return (StatusCode::UNAUTHORIZED, Json(json!({})));
    }
    rooms.asked.lock().unwrap().push(body);
    let failing = rooms
        .failures
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
        .is_ok();
    if failing {
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({})));
    }
    let mut by_key = rooms.by_key.lock().unwrap();
    let number = by_key.len() + 1;
    let id = by_key.entry(header("idempotency-key").to_owned()).or_insert(format!("room-{number}"));
    let join_url = format!("http://127.0.0.1:8090/m/{id}");
    (StatusCode::CREATED, Json(json!({ "id": id, "join_url": join_url })))
}

/// Starts a meeting provider and returns where it answers, with our token.
pub(crate) async fn meetings(rooms: Rooms) -> MeetingSecrets {
    let url = serve(Router::new().route("/meetings", post(create)).with_state(rooms)).await;
    MeetingSecrets {
        own: Some((url, MEETING_TOKEN.to_owned().into())),
        ..MeetingSecrets::default()
    }
}

/// Serves an identity server's public keys and returns their URL.
pub(crate) async fn jwks(document: String) -> String {
    serve(Router::new().route("/jwks.json", get(|| async { document }))).await + "/jwks.json"
}

async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
