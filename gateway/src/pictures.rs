//! Pictures of reviews: taken in for the HTTP port of reviews piece by piece, so that none is ever
//! held here as a whole, and shown with the headers that reviews gives them.

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

use crate::error_response::{self, gateway_error};
use crate::policy::Document;
use crate::proxy::{Proxy, ProxyError};
use crate::request_context::Caller;

/// What reviews takes, and a little, so that the last word on the limit is the service's.
const BYTES_MAX: usize = 5 * 1024 * 1024 + 4096;
/// How much of a body that is refused is still read: a browser hears an answer only after it has
/// sent everything, and no picture that people choose by mistake is larger.
const DISCARD_BYTES_MAX: usize = 32 * 1024 * 1024;
/// For the upload and all that is done with it. Reviews gives up before: a picture may take a
/// minute to arrive, then waits for its turn, is made smaller, and is tried again if that fails.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(150);
/// How long the rest of a body is read that reviews has answered already.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a picture may take on its way to a slow browser.
const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(120);
/// How long reviews may take to begin showing one.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(10);
/// What a browser may say about the picture that it has already; nothing else of it is passed on.
const CONDITIONAL_HEADERS: [HeaderName; 4] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];
/// Refusals are short.
const ERROR_BYTES_MAX: usize = 64 * 1024;

pub(crate) async fn upload(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_response::method_not_allowed("POST", &caller.reference);
    }
    if let Err(retry_after) = proxy.limits.check_review(caller.address) {
        discard_body(request).await;
        let status = StatusCode::TOO_MANY_REQUESTS;
        return error_response::to_error_response(
            status,
            &retry_after.to_error(),
            &caller.reference,
        );
    }
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
    // The body stays behind, unread.
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

/// Names are made by reviews of these characters only; others could lead to another path.
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

/// How large a body says it is.
fn content_length(request: &Request) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads the body of an upload that is refused, for as long as one is waited for at all.
pub(crate) async fn discard_body(request: Request) {
    // Who waits to be asked for the body need not send it.
    if !request.headers().contains_key(header::EXPECT) {
        timeout(UPLOAD_TIMEOUT, UploadReader::new(request.into_body(), None).read()).await.ok();
    }
}

/// Reads a body while it is sent on. An answer that comes before its end is reviews' last word:
/// then the rest is read for the browser's sake only, and not for long.
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
                // The connection may end with the body, so what was answered is taken before.
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

/// How far a body was read.
enum ReadOutcome {
    Complete,
    TooLarge,
    Aborted,
}

/// A body that comes in, and where it goes on to.
struct UploadReader {
    chunks: BodyDataStream,
    bytes: usize,
    sender: Option<mpsc::Sender<Result<Bytes, Truncated>>>,
}

impl UploadReader {
    fn new(body: Body, sender: Option<mpsc::Sender<Result<Bytes, Truncated>>>) -> Self {
        Self { chunks: body.into_data_stream(), bytes: 0, sender }
    }

    /// Reads it, and passes it on as long as somebody takes it and it is not too large. It may be
    /// left and begun again once nobody takes it any more.
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
        // Reviews hears from this that it has everything.
        self.sender = None;
        if self.bytes > BYTES_MAX { ReadOutcome::TooLarge } else { ReadOutcome::Complete }
    }

    async fn truncate(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.send(Err(Truncated)).await.ok();
        }
    }
}

/// Reviews is not to take what was cut off for a whole picture.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body was cut off")]
struct Truncated;

/// A body on its way from one connection to the other.
struct UploadStream {
    chunks: mpsc::Receiver<Result<Bytes, Truncated>>,
    /// How many bytes are to come, where the client has told.
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

/// What reviews says when it does not take or has not got a picture.
#[derive(Deserialize)]
struct ErrorBody {
    reason: String,
    message: String,
}

/// Brings a refusal of the HTTP port into the one form; everything else passes as it is.
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
    fn a_name_leads_nowhere_else() {
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
