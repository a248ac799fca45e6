//! Pictures of reviews: uploads are streamed to the HTTP port of reviews, so that none is ever in
//! memory as a whole; downloads keep the headers that reviews sets.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, BodyDataStream};
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use connectrpc::{ConnectError, ErrorCode};
use futures::StreamExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::caller::Caller;
use crate::error_response::{self, gateway_error};
use crate::policy::Document;
use crate::proxy::{Proxy, ProxyError};

/// The limit of reviews plus a margin, so that reviews decides at the limit.
const BYTES_MAX: usize = 5 * 1024 * 1024 + 4096;
/// How much of a rejected body is still read: a browser reads the response only after it has sent
/// everything, and no picture that people choose by mistake is larger.
const DISCARD_BYTES_MAX: usize = 32 * 1024 * 1024;
/// What an upload takes of the memory budget while it is streamed: the parts that wait in the
/// connections to the browser and to reviews.
const MEMORY_BYTES: usize = 320 * 1024;
/// Timeout of an upload with its processing. Reviews times out before: a picture may take a minute
/// to arrive, then it waits in the queue, is resized, and is retried if that fails.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(150);
/// How long the rest of a body is read after reviews has responded.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of a download by a slow browser.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout until the first byte of a download.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(10);
/// Conditional headers that are forwarded with a download; no other header of the browser is.
const CONDITIONAL_HEADERS: [HeaderName; 4] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];
/// Maximum size of an error body.
const ERROR_BYTES_MAX: usize = 64 * 1024;

pub(crate) async fn upload(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_response::method_not_allowed("POST", &caller.reference);
    }
    if let Err(retry_after) = proxy.limits.check_upload(caller.address) {
        discard_body(request).await;
        let status = StatusCode::TOO_MANY_REQUESTS;
        return error_response::to_error_response(
            status,
            &retry_after.to_error(),
            &caller.reference,
        );
    }
    let Some(_permit) = proxy.bodies.reserve(caller.address, MEMORY_BYTES) else {
        return ProxyError::OverBudget.into_response(&caller.reference);
    };
    let taken = timeout(UPLOAD_TIMEOUT, forward_upload(&proxy, &caller, request)).await;
    let mut answer = match taken.unwrap_or(Err(ProxyError::UpstreamTimeout)) {
        Ok(answer) => normalize_error(answer, &caller.reference).await,
        Err(ProxyError::TooLarge) => too_large(&caller.reference),
        Err(broken) => broken.into_response(&caller.reference),
    };
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

pub(crate) async fn picture(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", &caller.reference);
    }
    if let Err(retry_after) = proxy.limits.check_picture(caller.address) {
        let status = StatusCode::TOO_MANY_REQUESTS;
        return error_response::to_error_response(
            status,
            &retry_after.to_error(),
            &caller.reference,
        );
    }
    if !is_picture_name(&name) {
        let error = ConnectError::new(ErrorCode::NotFound, "");
        return error_response::to_error_response(StatusCode::NOT_FOUND, &error, &caller.reference);
    }
    // The body is not read.
    match fetch_picture(&proxy, &caller, request.into_parts().0, &name).await {
        Ok(answer) => {
            let mut answer = normalize_error(answer, &caller.reference).await;
            answer.extensions_mut().insert(Document::Picture);
            answer
        }
        Err(broken) => broken.into_response(&caller.reference),
    }
}

async fn fetch_picture(
    proxy: &Proxy,
    caller: &Caller,
    asked: Parts,
    name: &str,
) -> Result<Response, ProxyError> {
    let request_headers = &asked.headers;
    let conditional = CONDITIONAL_HEADERS
        .into_iter()
        .filter_map(|name| Some((request_headers.get(&name)?.clone(), name)));
    let mut headers: HeaderMap = conditional.map(|(value, name)| (name, value)).collect();
    proxy.set_forwarded_headers(caller, &mut headers);
    let url = format!("{}/pictures/{name}", proxy.reviews);
    let download = proxy.client.request(asked.method, url).headers(headers);
    let begun = timeout(FIRST_BYTE_TIMEOUT, download.timeout(DOWNLOAD_TIMEOUT).send()).await;
    let answer =
        begun.map_err(|_elapsed| ProxyError::UpstreamTimeout)?.map_err(ProxyError::from_reqwest)?;
    Ok(Proxy::to_response(answer))
}

/// Reviews uses only these characters in names; others could lead to another path.
fn is_picture_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.bytes().all(plain) && !name.starts_with('.')
}

async fn forward_upload(
    proxy: &Proxy,
    caller: &Caller,
    request: Request,
) -> Result<Response, ProxyError> {
    let length = content_length(&request);
    if length.is_some_and(|length| length > BYTES_MAX) {
        discard_body(request).await;
        return Err(ProxyError::TooLarge);
    }
    let (parts, body) = request.into_parts();
    let (sender, chunks) = mpsc::channel(1);
    let mut headers = HeaderMap::new();
    if let Some(kind) = parts.headers.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, kind.clone());
    }
    proxy.set_forwarded_headers(caller, &mut headers);
    let request = proxy.client.post(format!("{}/uploads/reviews", proxy.reviews)).headers(headers);
    let remaining = length.and_then(|length| u64::try_from(length).ok());
    let forwarded = reqwest::Body::wrap(UploadStream { chunks, remaining });
    let sent = request.timeout(UPLOAD_TIMEOUT).body(forwarded).send();
    stream_upload(UploadReader::new(body, Some(sender)), sent).await
}

/// The announced length of the body.
fn content_length(request: &Request) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and discards the body of a rejected upload, up to the limit and the timeout.
pub(crate) async fn discard_body(request: Request) {
    // A client that waits for `100 Continue` has not sent the body.
    if !request.headers().contains_key(header::EXPECT) {
        timeout(UPLOAD_TIMEOUT, UploadReader::new(request.into_body(), None).read()).await.ok();
    }
}

/// Reads a body while it is forwarded. If reviews responds before the end of the body, that
/// response is final: the rest is then read only because the browser needs it, and not for long.
async fn stream_upload(
    mut reader: UploadReader,
    sent: impl Future<Output = Result<reqwest::Response, reqwest::Error>>,
) -> Result<Response, ProxyError> {
    tokio::pin!(sent);
    let (read, answer) = tokio::select! {
        biased;
        read = reader.read() => {
            let answer = sent.await.map(Proxy::to_response).map_err(ProxyError::from_reqwest);
            (read, answer)
        }
        early = &mut sent => match early {
            Ok(answer) => {
                // The connection may end with the body, so the response is read first.
                let (parts, body) = Proxy::to_response(answer).into_parts();
                let body = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
                reader.sender = None;
                let read = timeout(DRAIN_TIMEOUT, reader.read()).await;
                let read = read.unwrap_or(ReadOutcome::Complete);
                (read, Ok(Response::from_parts(parts, Body::from(body))))
            }
            Err(error) => (reader.read().await, Err(ProxyError::from_reqwest(error))),
        },
    };
    match read {
        ReadOutcome::Complete => answer,
        ReadOutcome::TooLarge => Err(ProxyError::TooLarge),
        ReadOutcome::Aborted => Err(ProxyError::UpstreamTimeout),
    }
}

/// How the reading of a body ended.
enum ReadOutcome {
    Complete,
    TooLarge,
    Aborted,
}

/// Reads an incoming body and forwards it.
struct UploadReader {
    chunks: BodyDataStream,
    bytes: usize,
    sender: Option<mpsc::Sender<Result<Bytes, Truncated>>>,
}

impl UploadReader {
    fn new(body: Body, sender: Option<mpsc::Sender<Result<Bytes, Truncated>>>) -> Self {
        Self { chunks: body.into_data_stream(), bytes: 0, sender }
    }

    /// Reads the body, and forwards it while there is a receiver and it is not too large. The
    /// future may be dropped and the function called again once there is no receiver.
    async fn read(&mut self) -> ReadOutcome {
        while let Some(chunk) = self.chunks.next().await {
            let Ok(chunk) = chunk else {
                self.truncate().await;
                return ReadOutcome::Aborted;
            };
            self.bytes = self.bytes.saturating_add(chunk.len());
            if self.bytes > DISCARD_BYTES_MAX {
                break;
            }
            if self.bytes > BYTES_MAX {
                self.truncate().await;
            }
            if let Some(receiver) = &self.sender
                && receiver.send(Ok(chunk)).await.is_err()
            {
                self.sender = None;
            }
        }
        // This ends the stream for reviews.
        self.sender = None;
        if self.bytes > BYTES_MAX { ReadOutcome::TooLarge } else { ReadOutcome::Complete }
    }

    async fn truncate(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.send(Err(Truncated)).await.ok();
        }
    }
}

/// Error that ends the stream, so that reviews doesn't take a truncated body for a complete
/// picture.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body was cut off")]
struct Truncated;

/// The body of the forwarded request.
struct UploadStream {
    chunks: mpsc::Receiver<Result<Bytes, Truncated>>,
    /// Remaining bytes, if the client announced the length.
    remaining: Option<u64>,
}

impl hyper::body::Body for UploadStream {
    type Data = Bytes;
    type Error = Truncated;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Truncated>>> {
        let stream = self.get_mut();
        stream.chunks.poll_recv(context).map(|chunk| {
            let chunk = chunk?;
            if let (Ok(chunk), Some(remaining)) = (&chunk, &mut stream.remaining) {
                *remaining =
                    remaining.saturating_sub(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            }
            Some(chunk.map(Frame::data))
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.remaining.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}

/// Body of an error response of reviews.
#[derive(Deserialize)]
struct ErrorBody {
    reason: String,
    message: String,
}

/// Converts an error response of the HTTP port into the standard format; other responses pass
/// unchanged.
async fn normalize_error(answer: Response, reference: &str) -> Response {
    let status = answer.status();
    if !status.is_client_error() && !status.is_server_error() {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let body = axum::body::to_bytes(body, ERROR_BYTES_MAX).await.unwrap_or_default();
    let parsed = serde_json::from_slice::<ErrorBody>(&body).ok();
    let code = code_of(status);
    let mut error = match parsed {
        Some(ErrorBody { reason, message }) => gateway_error(code, &reason, &message),
        None => ConnectError::new(code, ""),
    };
    if let Some(retry_after) = parts.headers.get(header::RETRY_AFTER) {
        error.response_headers_mut().insert(header::RETRY_AFTER, retry_after.clone());
    }
    error_response::to_error_response(status, &error, reference)
}

fn code_of(status: StatusCode) -> ErrorCode {
    match status {
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::TOO_MANY_REQUESTS => {
            ErrorCode::ResourceExhausted
        }
        StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => ErrorCode::DeadlineExceeded,
        status if status.is_client_error() => ErrorCode::InvalidArgument,
        _ => ErrorCode::Unavailable,
    }
}

fn too_large(reference: &str) -> Response {
    let sentence = "Please select an image smaller than 5MB.";
    let error = gateway_error(ErrorCode::ResourceExhausted, "IMAGE_TOO_LARGE", sentence);
    error_response::to_error_response(StatusCode::PAYLOAD_TOO_LARGE, &error, reference)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use bytes::Bytes;
    use futures::StreamExt as _;

    use super::{DRAIN_TIMEOUT, UploadReader, is_picture_name, stream_upload};

    #[test]
    fn a_picture_name_cannot_change_the_path() {
        assert!(is_picture_name("0a1b2c3d-large.webp"));
        for wrong in ["../livez", "..", "a/b", "a%2fb", "a?b", "a b", ".hidden"] {
            assert!(!is_picture_name(wrong), "{wrong}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_early_response_does_not_wait_for_an_endless_body() {
        let begun = Ok::<_, std::io::Error>(Bytes::from_static(b"RIFF"));
        let body = futures::stream::iter([begun]).chain(futures::stream::pending());
        let answer = http::Response::builder().status(408).body("TOO_SLOW").unwrap();
        let sent = async { Ok(reqwest::Response::from(answer)) };
        let (sender, _pieces) = tokio::sync::mpsc::channel(1);
        let before = tokio::time::Instant::now();
        let reader = UploadReader::new(Body::from_stream(body), Some(sender));
        let answer = stream_upload(reader, sent).await.unwrap();
        assert_eq!(answer.status(), 408);
        assert_eq!(axum::body::to_bytes(answer.into_body(), 100).await.unwrap(), "TOO_SLOW");
        assert!((DRAIN_TIMEOUT..DRAIN_TIMEOUT * 2).contains(&before.elapsed()));
    }
}
