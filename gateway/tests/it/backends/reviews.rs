//! Fake reviews service: a gRPC service that knows some reviews and one password, and an HTTP port
//! for pictures.

use axum::extract::{Path, Request as HttpRequest, State};
use axum::response::{IntoResponse as _, Response as HttpResponse};
use axum::routing::{get, post};
use axum::{Json, Router};
use contract::reviews::v1::reviews_service_server::{ReviewsService, ReviewsServiceServer};
use contract::reviews::v1::reviews_staff_service_server::{
    ReviewsStaffService, ReviewsStaffServiceServer,
};
use contract::reviews::v1::*;
use http::{HeaderMap, StatusCode, header};
use runtime::status::{not_found, reject};
use serde_json::json;
use staff::StaffError;
use tokio::net::TcpListener;
use tonic::transport::server::Router as Server;
use tonic::{Request, Response, Status};

use super::{FakeBackend, RecordedRequests};

/// A review that can be read.
pub(crate) const KNOWN: &str = "rvw_0198c0de000070008000000000000001";
/// Its text, which must be escaped in HTML.
pub(crate) const TEXT: &str = "Quiet </script><b>at last</b> & \"home\".";
/// One that was deleted.
pub(crate) const DELETED: &str = "rvw_0198c0de000070008000000000000002";
/// A review for which the service never responds.
pub(crate) const SLOW: &str = "rvw_0198c0de000070008000000000000003";
/// A review for which the service fails.
pub(crate) const BROKEN: &str = "rvw_0198c0de000070008000000000000004";
pub(crate) const PASSWORD: &str = "quiet river stones";
pub(crate) const GRANT: &str = "Zm9ydHktdGhyZWUtY2hhcmFjdGVycy1vZi1hLWdyYW50";

pub(super) fn add_to(server: Server, backend: &FakeBackend) -> Server {
    server
        .add_service(ReviewsServiceServer::new(backend.clone()))
        .add_service(ReviewsStaffServiceServer::new(backend.clone()))
}

/// A service whose methods record the request and return a default response, except those written
/// out.
macro_rules! service {
    ($service:ident { $($method:ident: $request:ty => $answer:ty;)+ } $($written:tt)*) => {
        #[tonic::async_trait]
        impl $service for FakeBackend {
            $(async fn $method(
                &self,
                request: Request<$request>,
            ) -> Result<Response<$answer>, Status> {
                self.seen.note(&request);
                Ok(Response::new(<$answer>::default()))
            })+

            $($written)*
        }
    };
}

service! { ReviewsService {
    submit_review: SubmitReviewRequest => SubmitReviewResponse;
    list_reviews: ListReviewsRequest => ListReviewsResponse;
    get_statistics: GetStatisticsRequest => GetStatisticsResponse;
    check_badge: CheckBadgeRequest => CheckBadgeResponse;
}
    async fn get_review(
        &self,
        request: Request<GetReviewRequest>,
    ) -> Result<Response<GetReviewResponse>, Status> {
        self.seen.note(&request);
        let review_id = request.into_inner().review_id;
        match review_id.as_str() {
            DELETED => Err(not_found("REVIEW_NOT_FOUND")),
            SLOW => std::future::pending().await,
            BROKEN => Err(Status::internal("relation reviews does not exist")),
            _ => {
                let (name, service, text) = ("Asha".into(), "Healing".into(), TEXT.into());
                let words = Review { name, service, text, ..Review::default() };
                let review = Review { review_id, rating: 5, ..words };
                Ok(Response::new(GetReviewResponse { review: Some(review) }))
            }
        }
    }
}

service! { ReviewsStaffService {
    get_moderation: GetModerationRequest => GetModerationResponse;
    lock: LockRequest => LockResponse;
    list_staff_reviews: ListStaffReviewsRequest => ListStaffReviewsResponse;
    delete_review: DeleteReviewRequest => DeleteReviewResponse;
    restore_review: RestoreReviewRequest => RestoreReviewResponse;
    list_parked_events: ListParkedEventsRequest => ListParkedEventsResponse;
    retry_parked_events: RetryParkedEventsRequest => RetryParkedEventsResponse;
}
    async fn unlock(
        &self,
        request: Request<UnlockRequest>,
    ) -> Result<Response<UnlockResponse>, Status> {
        self.seen.note(&request);
        let grant = match request.into_inner().password.as_str() {
            PASSWORD => GRANT.to_owned(),
            // A response that none of our services sends.
            "a cookie of its own" => "x; Domain=example".to_owned(),
            _ => return Err(reject(&StaffError::StaffOnly)),
        };
        Ok(Response::new(UnlockResponse { grant, ..UnlockResponse::default() }))
    }
}

/// The HTTP port.
pub(crate) async fn http() -> (String, RecordedRequests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen = RecordedRequests::default();
    let router = Router::new()
        .route("/uploads/reviews", post(upload))
        .route("/pictures/{name}", get(picture))
        .with_state(seen.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, seen)
}

async fn upload(State(seen): State<RecordedRequests>, request: HttpRequest) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let answer = match body.get(..4) {
        Some(b"GIF8") => {
            let reply = json!({
                "reason": "INVALID_IMAGE", "message": "Please select a valid image file.",
            });
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, Json(reply)).into_response()
        }
        Some(b"BUSY") => busy(),
        Some(b"OOPS") => {
            let reply = "thread 'main' panicked at src/secret.rs";
            (StatusCode::INTERNAL_SERVER_ERROR, reply).into_response()
        }
        _ => {
            let made = json!({ "imageId": "img_1", "width": 4, "height": 3 });
            (StatusCode::CREATED, Json(made)).into_response()
        }
    };
    let path = parts.uri.to_string();
    seen.http.lock().unwrap().push((path, parts.headers, body.to_vec()));
    answer
}

fn busy() -> HttpResponse {
    let reply = json!({ "reason": "BUSY", "message": "Please try again in a moment." });
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "2")], Json(reply)).into_response()
}

async fn picture(
    State(seen): State<RecordedRequests>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> HttpResponse {
    seen.http.lock().unwrap().push((format!("/pictures/{name}"), headers, Vec::new()));
    if name.starts_with("gone") {
        let reply = json!({ "reason": "IMAGE_NOT_FOUND", "message": "There is no such picture." });
        return (StatusCode::NOT_FOUND, Json(reply)).into_response();
    }
    let headers = [
        (header::CONTENT_TYPE, "image/webp"),
        (header::CACHE_CONTROL, "public, max-age=86400, immutable"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_DISPOSITION, "inline; filename=picture.webp"),
        (header::SET_COOKIE, "admin=forged"),
    ];
    (headers, "RIFF").into_response()
}
