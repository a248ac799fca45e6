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

use crate::edge::Caller;
use crate::error_form::{self, refusal};
use crate::policy::Document;
use crate::proxy::{Broken, Proxy};

/// What reviews takes, and a little, so that the last word on the limit is the service's.
const BYTES_MAX: usize = 5 * 1024 * 1024 + 4096;
/// How much of a body that is refused is still read: a browser hears an answer only after it has
/// sent everything, and no picture that people choose by mistake is larger.
const READ_MAX: usize = 32 * 1024 * 1024;
/// For the upload and all that is done with it. Reviews gives up before: a picture may take a
/// minute to arrive, then waits for its turn, is made smaller, and is tried again if that fails.
const PATIENCE: Duration = Duration::from_secs(150);
/// How long the rest of a body is read that reviews has answered already.
const REST: Duration = Duration::from_secs(10);
/// How long a picture may take on its way to a slow browser.
const SHOWN_WITHIN: Duration = Duration::from_secs(120);
/// How long reviews may take to begin showing one.
const BEGUN_WITHIN: Duration = Duration::from_secs(10);
/// What a browser may say about the picture that it has already; nothing else of it is passed on.
const CONDITIONS: [HeaderName; 4] = [
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];
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
        throw_away(request).await;
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
    if let Err(wait) = proxy.limits.of_picture(caller.address) {
        let status = StatusCode::TOO_MANY_REQUESTS;
        return error_form::http_answer(status, &wait.refusal(), &caller.reference);
    }
    if !is_name(&name) {
        let error = ConnectError::new(ErrorCode::NotFound, "");
        return error_form::http_answer(StatusCode::NOT_FOUND, &error, &caller.reference);
    }
    // The body stays behind, unread.
    match show(&proxy, &caller, request.into_parts().0, &name).await {
        Ok(answer) => {
            let mut answer = in_form(answer, &caller.reference).await;
            answer.extensions_mut().insert(Document::Picture);
            answer
        }
        Err(broken) => broken.in_the_one_form(&caller.reference),
    }
}

async fn show(
    proxy: &Proxy,
    caller: &Caller,
    asked: Parts,
    name: &str,
) -> Result<Response, Broken> {
    let said = &asked.headers;
    let known = CONDITIONS.into_iter().filter_map(|name| Some((said.get(&name)?.clone(), name)));
    let mut headers: HeaderMap = known.map(|(value, name)| (name, value)).collect();
    proxy.introduce(caller, &mut headers);
    let url = format!("{}/pictures/{name}", proxy.reviews);
    let look = proxy.client.request(asked.method, url).headers(headers);
    let begun = timeout(BEGUN_WITHIN, look.timeout(SHOWN_WITHIN).send()).await;
    let answer = begun.map_err(|_elapsed| Broken::TooSlow)?.map_err(Broken::of)?;
    Ok(Proxy::received(answer))
}

/// Names are made by reviews of these characters only; others could lead to another path.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    name.bytes().all(plain) && !name.starts_with('.')
}

async fn take_in(proxy: &Proxy, caller: &Caller, request: Request) -> Result<Response, Broken> {
    let declared = declared(&request);
    if declared.is_some_and(|length| length > BYTES_MAX) {
        throw_away(request).await;
        return Err(Broken::TooLarge);
    }
    let (parts, body) = request.into_parts();
    let (sender, pieces) = mpsc::channel(1);
    let mut headers = HeaderMap::new();
    if let Some(kind) = parts.headers.get(header::CONTENT_TYPE) {
        headers.insert(header::CONTENT_TYPE, kind.clone());
    }
    proxy.introduce(caller, &mut headers);
    let request = proxy.client.post(format!("{}/uploads/reviews", proxy.reviews)).headers(headers);
    let left = declared.and_then(|length| u64::try_from(length).ok());
    let passage = reqwest::Body::wrap(Passage { pieces, left });
    let sent = request.timeout(PATIENCE).body(passage).send();
    pass_on(Incoming::new(body, Some(sender)), sent).await
}

/// How large a body says it is.
fn declared(request: &Request) -> Option<usize> {
    request.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads the body of an upload that is refused, for as long as one is waited for at all.
pub(crate) async fn throw_away(request: Request) {
    // Who waits to be asked for the body need not send it.
    if !request.headers().contains_key(header::EXPECT) {
        timeout(PATIENCE, Incoming::new(request.into_body(), None).read()).await.ok();
    }
}

/// Reads a body while it is sent on. An answer that comes before its end is reviews' last word:
/// then the rest is read for the browser's sake only, and not for long.
async fn pass_on(
    mut incoming: Incoming,
    sent: impl Future<Output = Result<reqwest::Response, reqwest::Error>>,
) -> Result<Response, Broken> {
    tokio::pin!(sent);
    let (read, answer) = tokio::select! {
        biased;
        read = incoming.read() => (read, sent.await.map(Proxy::received).map_err(Broken::of)),
        early = &mut sent => match early {
            Ok(answer) => {
                // The connection may end with the body, so what was answered is taken before.
                let (parts, told) = Proxy::received(answer).into_parts();
                let told = axum::body::to_bytes(told, REFUSAL_BYTES_MAX).await.unwrap_or_default();
                incoming.sender = None;
                let read = timeout(REST, incoming.read()).await.unwrap_or(Read::Whole);
                (read, Ok(Response::from_parts(parts, Body::from(told))))
            }
            Err(error) => (incoming.read().await, Err(Broken::of(error))),
        },
    };
    match read {
        Read::Whole => answer,
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

/// A body that comes in, and where it goes on to.
struct Incoming {
    pieces: BodyDataStream,
    bytes: usize,
    sender: Option<mpsc::Sender<Result<Bytes, CutOff>>>,
}

impl Incoming {
    fn new(body: Body, sender: Option<mpsc::Sender<Result<Bytes, CutOff>>>) -> Self {
        Self { pieces: body.into_data_stream(), bytes: 0, sender }
    }

    /// Reads it, and passes it on as long as somebody takes it and it is not too large. It may be
    /// left and begun again once nobody takes it any more.
    async fn read(&mut self) -> Read {
        while let Some(piece) = self.pieces.next().await {
            let Ok(piece) = piece else {
                self.cut_off().await;
                return Read::BrokenOff;
            };
            self.bytes = self.bytes.saturating_add(piece.len());
            if self.bytes > READ_MAX {
                break;
            }
            if self.bytes > BYTES_MAX {
                self.cut_off().await;
            }
            if let Some(taker) = &self.sender
                && taker.send(Ok(piece)).await.is_err()
            {
                self.sender = None;
            }
        }
        // Reviews hears from this that it has everything.
        self.sender = None;
        if self.bytes > BYTES_MAX { Read::TooLarge } else { Read::Whole }
    }

    async fn cut_off(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.send(Err(CutOff)).await.ok();
        }
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
    use axum::body::Body;
    use bytes::Bytes;
    use futures::StreamExt as _;

    use super::{Incoming, REST, is_name, pass_on};

    #[test]
    fn a_name_leads_nowhere_else() {
        assert!(is_name("0a1b2c3d-large.webp"));
        for wrong in ["../livez", "..", "a/b", "a%2fb", "a?b", "a b", ".hidden"] {
            assert!(!is_name(wrong), "{wrong}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_early_answer_does_not_wait_for_a_body_that_never_ends() {
        let begun = Ok::<_, std::io::Error>(Bytes::from_static(b"RIFF"));
        let body = futures::stream::iter([begun]).chain(futures::stream::pending());
        let answer = http::Response::builder().status(408).body("TOO_SLOW").unwrap();
        let sent = async { Ok(reqwest::Response::from(answer)) };
        let (sender, _pieces) = tokio::sync::mpsc::channel(1);
        let before = tokio::time::Instant::now();
        let incoming = Incoming::new(Body::from_stream(body), Some(sender));
        let answer = pass_on(incoming, sent).await.unwrap();
        assert_eq!(answer.status(), 408);
        assert_eq!(axum::body::to_bytes(answer.into_body(), 100).await.unwrap(), "TOO_SLOW");
        assert!((REST..REST * 2).contains(&before.elapsed()));
    }
}
