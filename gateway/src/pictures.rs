//! Pictures of reviews: taken in for the HTTP port of reviews piece by piece, so that none is ever
//! held here as a whole, and shown with the headers that reviews gives them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use bytes::Bytes;
use connectrpc::{ConnectError, ErrorCode};
use futures::StreamExt as _;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::edge::Caller;
use crate::error_form::{self, refusal};
use crate::policy::Document;
use crate::proxy::{Broken, Proxy};

/// What reviews takes, and a little, so that the last word on the limit is the service's.
const BYTES_MAX: usize = 5 * 1024 * 1024 + 4096;
/// How much of a body that is refused is still read: a browser hears an answer only after it has
/// sent everything, and no picture that people choose by mistake is larger.
const READ_MAX: usize = 32 * 1024 * 1024;
/// For the upload and all that is done with it; reviews gives up before.
const PATIENCE: Duration = Duration::from_secs(75);
/// Refusals are short.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;

pub(crate) async fn upload(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_form::method_not_allowed("POST", &caller.reference);
    }
    if let Err(wait) = proxy.limits.of_review(caller.address) {
        let status = StatusCode::TOO_MANY_REQUESTS;
        return error_form::http_answer(status, &wait.refusal(), &caller.reference);
    }
    let taken = timeout(PATIENCE, take_in(&proxy, &caller, request)).await;
    let mut answer = match taken.unwrap_or(Err(Broken::TooSlow)) {
        Ok(answer) => in_form(answer, &caller.reference).await,
        Err(Broken::TooLarge) => too_large(&caller.reference),
        Err(broken) => broken.in_the_one_form(&caller.reference),
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
        return error_form::method_not_allowed("GET, HEAD", &caller.reference);
    }
    if !is_name(&name) {
        let error = ConnectError::new(ErrorCode::NotFound, "");
        return error_form::http_answer(StatusCode::NOT_FOUND, &error, &caller.reference);
    }
    let url = format!("{}/pictures/{name}", proxy.reviews);
    match proxy.pass(&caller, request, url).await {
        Ok(answer) => {
            let mut answer = in_form(answer, &caller.reference).await;
            answer.extensions_mut().insert(Document::Picture);
            answer
        }
        Err(broken) => broken.in_the_one_form(&caller.reference),
    }
}

/// Names are made by reviews of these characters only; others could lead to another path.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.bytes().all(plain) && !name.starts_with('.')
}

async fn take_in(proxy: &Proxy, caller: &Caller, request: Request) -> Result<Response, Broken> {
    let (parts, body) = request.into_parts();
    let declared = parts.headers.get(header::CONTENT_LENGTH);
    let declared = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let (sender, pieces) = mpsc::channel(1);
    if declared.is_some_and(|length| length > BYTES_MAX) {
        drop(pieces);
        // Who waits to be asked for the body need not send it.
        if !parts.headers.contains_key(header::EXPECT) {
            read(body, sender).await;
        }
        return Err(Broken::TooLarge);
    }
    let mut headers = HeaderMap::new();
    if let Some(kind) = parts.headers.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, kind.clone());
    }
    proxy.introduce(caller, &mut headers);
    let request = proxy.client.post(format!("{}/uploads/reviews", proxy.reviews)).headers(headers);
    let left = declared.and_then(|length| u64::try_from(length).ok());
    let passage = reqwest::Body::wrap(Passage { pieces, left });
    let sent = request.timeout(PATIENCE).body(passage).send();
    let (read, answer) = tokio::join!(read(body, sender), sent);
    match read {
        Read::Whole => Ok(Proxy::received(answer.map_err(Broken::of)?)),
        Read::TooLarge => Err(Broken::TooLarge),
        Read::BrokenOff => Err(Broken::TooSlow),
    }
}

/// How far a body was read.
enum Read {
    Whole,
    TooLarge,
    BrokenOff,
}

/// Reads a body, and passes it on as long as somebody takes it and it is not too large.
async fn read(body: Body, sender: mpsc::Sender<Result<Bytes, CutOff>>) -> Read {
    let mut sender = Some(sender);
    let mut bytes = 0_usize;
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let Ok(piece) = piece else {
            cut_off(&mut sender).await;
            return Read::BrokenOff;
        };
        bytes = bytes.saturating_add(piece.len());
        if bytes > READ_MAX {
            break;
        }
        if bytes > BYTES_MAX {
            cut_off(&mut sender).await;
        }
        if let Some(taker) = &sender
            && taker.send(Ok(piece)).await.is_err()
        {
            sender = None;
        }
    }
    if bytes > BYTES_MAX { Read::TooLarge } else { Read::Whole }
}

async fn cut_off(sender: &mut Option<mpsc::Sender<Result<Bytes, CutOff>>>) {
    if let Some(sender) = sender.take() {
        sender.send(Err(CutOff)).await.ok();
    }
}

/// Reviews is not to take what was cut off for a whole picture.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body was cut off")]
struct CutOff;

/// A body on its way from one connection to the other.
struct Passage {
    pieces: mpsc::Receiver<Result<Bytes, CutOff>>,
    /// How many bytes are to come, where the client has told.
    left: Option<u64>,
}

impl hyper::body::Body for Passage {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        let passage = self.get_mut();
        passage.pieces.poll_recv(context).map(|piece| {
            let piece = piece?;
            if let (Ok(piece), Some(left)) = (&piece, &mut passage.left) {
                *left = left.saturating_sub(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            }
            Some(piece.map(Frame::data))
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}

/// What reviews says when it does not take or has not got a picture.
#[derive(Deserialize)]
struct Refusal {
    reason: String,
    message: String,
}

/// Brings a refusal of the HTTP port into the one form; everything else passes as it is.
async fn in_form(answer: Response, reference: &str) -> Response {
    let status = answer.status();
    if !status.is_client_error() && !status.is_server_error() {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let body = axum::body::to_bytes(body, REFUSAL_BYTES_MAX).await.unwrap_or_default();
    let told = serde_json::from_slice::<Refusal>(&body).ok();
    let code = code_of(status);
    let mut error = match told {
        Some(Refusal { reason, message }) => refusal(code, &reason, &message),
        None => ConnectError::new(code, ""),
    };
    if let Some(wait) = parts.headers.get(header::RETRY_AFTER) {
        error.response_headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    error_form::http_answer(status, &error, reference)
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
    let error = refusal(ErrorCode::ResourceExhausted, "IMAGE_TOO_LARGE", sentence);
    error_form::http_answer(StatusCode::PAYLOAD_TOO_LARGE, &error, reference)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_leads_nowhere_else() {
        assert!(is_name("0a1b2c3d-large.webp"));
        for wrong in ["../livez", "..", "a/b", "a%2fb", "a?b", "a b", ".hidden"] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }
}
