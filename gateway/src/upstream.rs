//! Calls of one service behind the gateway. Each has a timeout and forwards the caller's
//! credentials and the trace; a failed call is logged here and becomes a standard error. Three
//! calls are made by the gateway itself, for clients that don't speak Connect.

use std::time::Duration;

use bytes::Bytes;
use connectrpc::client::{CallOptions, ClientConfig, call_server_stream, call_unary};
use connectrpc::{
    CodecFormat, ConnectError, ErrorCode, Protocol, RequestContext, ServiceStream, Spec,
    SpecOrigin, StreamType,
};
use contract::booking::v1::{GetSessionCalendarRequest, GetSessionCalendarResponse};
use contract::calls::Origin;
use contract::notifications::v1::UnsubscribeRequest;
use contract::reviews::v1 as reviews;
use futures::StreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use kernel::Id;
use kernel::id::Review;
use prost::Message;
use runtime::{Shutdown, telemetry};
use tokio::time::timeout;

use crate::caller::{Caller, network_prefix};
use crate::encoded_message::{EncodedMessage, EncodedView};
use crate::error_response;
use crate::grant::{self, PanelMetadata};
use crate::procedures::{GET_SESSION_CALENDAR, Procedure, UNSUBSCRIBE};
use crate::schema::{MessageType, Schema};
use crate::site_cookie::device_fingerprint;
use crate::transport::Transport;

/// The listed network of a call, for the services' check of staff. Nothing of a client's own
/// headers is forwarded, so only the gateway sets it.
const LISTED_NETWORK: HeaderName = HeaderName::from_static("x-listed-network");
/// Where a request comes from, for booking's limits of what is held without a payment, of mails
/// with keys and of questions to the scheduling provider, and for the proof of a consent.
const CALLER_NETWORK: HeaderName = HeaderName::from_static("x-caller-network");
const CALLER_DEVICE: HeaderName = HeaderName::from_static("x-caller-device");
/// What the caller's browser calls itself, for the proof of a consent.
const CALLER_USER_AGENT: HeaderName = HeaderName::from_static("x-caller-user-agent");
/// The longest one that is passed on.
const USER_AGENT_BYTES_MAX: usize = 500;
/// How long a review's document waits for its content.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a calendar program waits for a practitioner's sessions.
const CALENDAR_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of an unsubscribe request.
const UNSUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);
/// Shows a public review.
const GET_REVIEW: &str = "/reviews.v1.ReviewsService/GetReview";

/// A received message.
type View = EncodedView<'static>;

/// One service behind the gateway.
pub(crate) struct Upstream {
    http: Transport,
    config: ClientConfig,
    shutdown: Shutdown,
}

impl Upstream {
    pub(crate) fn new(address: Uri, shutdown: Shutdown) -> Self {
        let http = Transport::to(&address);
        let config = ClientConfig::new(address).with_protocol(Protocol::Grpc);
        Self { http, config, shutdown }
    }

    /// Forwards a call.
    pub(crate) async fn unary(
        &self,
        ctx: &RequestContext,
        procedure: Procedure,
        request: Bytes,
    ) -> Result<Bytes, ConnectError> {
        let spec = procedure.spec;
        let mut options = call_options(ctx, procedure.declared.origin);
        if let Some(left) = ctx.time_remaining() {
            options = options.with_timeout(left);
        }
        self.send(spec, request, options).await.map_err(|error| upstream_error(spec, error))
    }

    async fn send(
        &self,
        spec: Spec,
        request: Bytes,
        options: CallOptions,
    ) -> Result<Bytes, ConnectError> {
        let spec = spec.with_origin(SpecOrigin::Client);
        let request = EncodedMessage(request);
        let answer = call_unary::<_, _, View>(&self.http, &self.config, spec, request, options);
        Ok(answer.await?.into_view().into_bytes())
    }

    /// A call that the gateway itself makes, for a client that doesn't speak Connect.
    async fn call(
        &self,
        spec: Spec,
        request: &impl Message,
        time_limit: Duration,
    ) -> Result<Bytes, ConnectError> {
        let mut headers = HeaderMap::new();
        telemetry::inject_headers(&mut headers);
        let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let options = CallOptions::default().with_headers(headers).with_timeout(time_limit);
        let response = self.send(spec, request.encode_to_vec().into(), options);
        timeout(time_limit, response).await.unwrap_or_else(|_elapsed| {
            Err(ConnectError::new(ErrorCode::DeadlineExceeded, "no answer"))
        })
    }

    /// Forwards a stream without a deadline: a forwarded deadline would cut it off.
    pub(crate) async fn watch(
        &self,
        ctx: &RequestContext,
        procedure: Procedure,
        request: Bytes,
    ) -> Result<ServiceStream<Bytes>, ConnectError> {
        let spec = procedure.spec;
        let stream = call_server_stream::<_, _, View>(
            &self.http,
            &self.config,
            spec.with_origin(SpecOrigin::Client),
            EncodedMessage(request),
            call_options(ctx, procedure.declared.origin),
        );
        let stream = stream.await.map_err(|error| upstream_error(spec, error))?;
        let items = futures::stream::try_unfold(stream, move |mut stream| async move {
            let item = stream.message::<EncodedMessage>().await;
            let item = item.map_err(|error| upstream_error(spec, error))?;
            Ok(item.map(|item| (item.bytes().clone(), stream)))
        });
        Ok(Box::pin(items.take_until(self.shutdown.wait())))
    }
}

/// A public review, with the response about it in JSON.
pub(crate) struct FoundReview {
    pub(crate) review: reviews::Review,
    pub(crate) json: String,
}

/// Result of a review's lookup.
pub(crate) enum ReviewLookupResult {
    /// The review is public.
    Found(Box<FoundReview>),
    /// There is no such review, or it was deleted.
    Missing,
    /// No response in time.
    Unavailable,
}

/// Looks up public reviews for their documents.
pub(crate) struct ReviewLookup {
    upstream: Upstream,
    answer: Option<MessageType>,
}

impl ReviewLookup {
    /// At the gRPC address of reviews.
    pub(crate) fn new(address: &Uri, schema: &Schema, shutdown: &Shutdown) -> Self {
        let answer = schema.method(GET_REVIEW).map(|method| method.output.clone());
        Self { upstream: Upstream::new(address.clone(), shutdown.clone()), answer }
    }

    /// Looks up a review.
    pub(crate) async fn find(&self, id: Id<Review>) -> ReviewLookupResult {
        let spec = Spec::client(GET_REVIEW, StreamType::Unary);
        let request = reviews::GetReviewRequest { review_id: id.to_string() };
        match self.upstream.call(spec, &request, LOOKUP_TIMEOUT).await {
            Ok(answer) => self.read(answer).map_or(ReviewLookupResult::Unavailable, |found| {
                ReviewLookupResult::Found(Box::new(found))
            }),
            Err(error) if error.code == ErrorCode::NotFound => ReviewLookupResult::Missing,
            Err(_unknown) => ReviewLookupResult::Unavailable,
        }
    }

    fn read(&self, answer: Bytes) -> Option<FoundReview> {
        let review = reviews::GetReviewResponse::decode(answer.clone()).ok()?.review?;
        let json = self.answer.as_ref()?.write(answer, CodecFormat::Json).ok()?;
        Some(FoundReview { review, json: String::from_utf8(json.into()).ok()? })
    }
}

/// Unsubscribes on behalf of mail programs.
pub(crate) struct UnsubscribeClient(Upstream);

impl UnsubscribeClient {
    /// At the gRPC address of notifications.
    pub(crate) fn new(address: &Uri, shutdown: &Shutdown) -> Self {
        Self(Upstream::new(address.clone(), shutdown.clone()))
    }

    /// Unsubscribes from the mails that the link's token stands for.
    pub(crate) async fn unsubscribe(&self, token: String) -> Result<(), ConnectError> {
        let spec = Spec::client(UNSUBSCRIBE, StreamType::Unary);
        let answer = self.0.call(spec, &UnsubscribeRequest { token }, UNSUBSCRIBE_TIMEOUT).await;
        answer.map(|_answer| ()).map_err(|error| upstream_error(spec, error))
    }
}

/// Result of the look-up of a secret address of a practitioner's sessions.
pub(crate) enum CalendarLookupResult {
    /// The calendar file.
    Found(String),
    /// The address was never given, or was renewed or stopped.
    Missing,
    /// No response in time.
    Unavailable,
}

/// Reads practitioners' calendars for other calendar programs.
pub(crate) struct CalendarClient(Upstream);

impl CalendarClient {
    /// At the gRPC address of booking.
    pub(crate) fn new(address: &Uri, shutdown: &Shutdown) -> Self {
        Self(Upstream::new(address.clone(), shutdown.clone()))
    }

    /// Reads the calendar of a secret address.
    pub(crate) async fn find(&self, secret: String) -> CalendarLookupResult {
        let spec = Spec::client(GET_SESSION_CALENDAR, StreamType::Unary);
        let request = GetSessionCalendarRequest { secret };
        let answer = self.0.call(spec, &request, CALENDAR_TIMEOUT).await;
        let answer = answer.and_then(|answer| {
            GetSessionCalendarResponse::decode(answer)
                .map_err(|error| ConnectError::internal(error.to_string()))
        });
        match answer {
            Ok(answer) => CalendarLookupResult::Found(answer.content),
            Err(error) if error.code == ErrorCode::NotFound => CalendarLookupResult::Missing,
            Err(error) => {
                upstream_error(spec, error);
                CalendarLookupResult::Unavailable
            }
        }
    }
}

/// What is forwarded besides the message: credentials, trace, and what the call declares of where a
/// request comes from.
fn call_options(ctx: &RequestContext, origin: Origin) -> CallOptions {
    let mut headers = HeaderMap::new();
    if let Some(token) = ctx.header(header::AUTHORIZATION) {
        headers.insert(header::AUTHORIZATION, token.clone());
    }
    if let Some(network) = ctx.extensions().get::<Caller>().and_then(|it| it.staff_network.as_ref())
        && let Ok(network) = HeaderValue::from_str(network)
    {
        headers.insert(LISTED_NETWORK, network);
    }
    if origin != Origin::Unspecified {
        headers.extend(origin_headers(ctx));
    }
    if origin == Origin::Signature {
        // One that is no text, or far too long, says nothing.
        let is_plain = |it: &&HeaderValue| it.to_str().is_ok() && it.len() <= USER_AGENT_BYTES_MAX;
        if let Some(browser) = ctx.header(header::USER_AGENT).filter(is_plain) {
            headers.insert(CALLER_USER_AGENT, browser.clone());
        }
    }
    if let Some(panel) = ctx.extensions().get::<PanelMetadata>() {
        let passed = [(grant::GRANT, &panel.grant), (grant::ADDRESS, &panel.address)];
        headers.extend(passed.into_iter().filter_map(|(name, it)| Some((name, it.clone()?))));
    }
    telemetry::inject_headers(&mut headers);
    let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    CallOptions::default().with_headers(headers)
}

/// The caller's network, and its device by the cookie that a browser gets at a sign-in.
fn origin_headers(ctx: &RequestContext) -> HeaderMap {
    let network = ctx.extensions().get::<Caller>().map(|it| network_prefix(it.address).to_string());
    let device = ctx.header(header::COOKIE).and_then(device_fingerprint);
    let told = [(CALLER_NETWORK, network), (CALLER_DEVICE, device)];
    let told = told.into_iter().filter_map(|(name, value)| Some((name, value?.parse().ok()?)));
    told.collect()
}

/// Logs a failed call, here only, with the transport's text, and converts the error.
fn upstream_error(spec: Spec, error: ConnectError) -> ConnectError {
    if !error_response::has_detail(&error) {
        let code = error.code.as_str();
        tracing::warn!(procedure = spec.procedure, code, %error, "a service gave no answer");
    }
    error_response::from_upstream(error)
}
