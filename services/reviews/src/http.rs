//! The HTTP port: uploads and published pictures.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use runtime::BoxError;
use runtime::status::chain;
use serde_json::json;

use crate::picture::name::Name;
use crate::picture::outcome::UploadError;
use crate::picture::{Pictures, repository};

/// A picture's name is never reused, so its content may be cached; for a day only, so that the
/// picture of a deleted review doesn't stay public in caches.
const CACHED_FOR_A_DAY: &str = "public, max-age=86400, immutable";
/// For answers that may change.
const NO_STORE: &str = "no-store";
/// If a browser takes the file for a document, it may load and run nothing.
const CONTENT_POLICY: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";

/// All routes of this port.
pub fn router(pictures: Arc<Pictures>) -> Router {
    Router::new()
        .route("/uploads/reviews", post(upload))
        .route("/pictures/{file}", get(serve_picture))
        .route("/healthz", get(health))
        .with_state(pictures)
}

async fn upload(State(pictures): State<Arc<Pictures>>, request: Request) -> Response {
    let length =
        request.headers().get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    let body = request.into_body().into_data_stream();
    let (status, answer) = match pictures.upload(length, body).await {
        Ok(uploaded) => {
            let answer = json!({
                "imageId": uploaded.image_id.to_string(),
                "width": uploaded.width,
                "height": uploaded.height,
            });
            (StatusCode::CREATED, answer)
        }
        Err(error) => {
            let (status, reason) = status_of(error);
            (status, json!({ "reason": reason, "message": error.to_string() }))
        }
    };
    (status, [(CACHE_CONTROL, NO_STORE)], Json(answer)).into_response()
}

fn status_of(error: UploadError) -> (StatusCode, &'static str) {
    match error {
        UploadError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "IMAGE_TOO_LARGE"),
        UploadError::Invalid => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_IMAGE"),
        UploadError::OtherKind => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "OTHER_IMAGE_KIND"),
        UploadError::Animated => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "ANIMATED_IMAGE"),
        UploadError::TooManyPixels => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "TOO_MANY_PIXELS"),
        UploadError::TooSlow => (StatusCode::REQUEST_TIMEOUT, "TOO_SLOW"),
        UploadError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "BUSY"),
    }
}

async fn serve_picture(
    State(pictures): State<Arc<Pictures>>,
    file: Result<Path<String>, PathRejection>,
) -> Response {
    let shown = match file {
        Ok(Path(file)) => picture_response(&pictures, &file).await,
        Err(_unreadable) => Ok(None),
    };
    let status = match shown {
        Ok(Some(picture)) => return picture,
        Ok(None) => StatusCode::NOT_FOUND,
        Err(error) => {
            tracing::error!(error = chain(error.as_ref()), "a picture could not be shown");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    (status, [(CACHE_CONTROL, NO_STORE)]).into_response()
}

async fn picture_response(pictures: &Pictures, file: &str) -> Result<Option<Response>, BoxError> {
    let Some((name, size)) = Name::parse_file_name(file) else { return Ok(None) };
    if !repository::is_visible(&pictures.store, name).await? {
        return Ok(None);
    }
    let Some(found) = pictures.objects.get(name, size).await? else {
        tracing::error!("a picture that may be seen is not where pictures lie");
        return Ok(None);
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, "image/webp".parse()?);
    headers.insert(CONTENT_LENGTH, found.meta.size.into());
    headers.insert(CACHE_CONTROL, CACHED_FOR_A_DAY.parse()?);
    headers.insert(X_CONTENT_TYPE_OPTIONS, "nosniff".parse()?);
    headers.insert(CONTENT_SECURITY_POLICY, CONTENT_POLICY.parse()?);
    headers.insert(CONTENT_DISPOSITION, format!("inline; filename=\"{file}\"").parse()?);
    Ok(Some((headers, Body::from_stream(found.into_stream())).into_response()))
}

async fn health(State(pictures): State<Arc<Pictures>>) -> (StatusCode, &'static str) {
    match pictures.store.check().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(_unreachable) => (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n"),
    }
}
