//! Every metric of every process, with its meaning. Alerts, boards and `docs/OBSERVABILITY.md` name
//! these and no others, which a test compares. Names are those of the semantic conventions where
//! they have one, and else begin with `sukoon`.

use super::instrument::{Counter, Definition, DurationHistogram};
use super::label::Label;

/// Calls of services. A stream counts until its answer begins.
pub static RPC_SERVER_CALL_DURATION: DurationHistogram = DurationHistogram::new(
    "rpc.server.call.duration",
    "How long a gRPC call took until its answer, or a stream until it began.",
    &[Label::RpcSystem, Label::RpcMethod, Label::RpcStatus, Label::ErrorType],
);
/// Requests of browsers and of third parties.
pub static HTTP_SERVER_REQUEST_DURATION: DurationHistogram = DurationHistogram::new(
    "http.server.request.duration",
    "How long an HTTP request took until its answer began.",
    &[Label::HttpMethod, Label::HttpRoute, Label::HttpStatus, Label::ErrorType],
);
static HISTOGRAMS: [&DurationHistogram; 2] =
    [&RPC_SERVER_CALL_DURATION, &HTTP_SERVER_REQUEST_DURATION];
static COUNTERS: [&Counter; 0] = [];

/// What all of them are.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let histograms = HISTOGRAMS.iter().map(|one| one.definition());
    let counters = COUNTERS.iter().map(|one| one.definition());
    histograms.chain(counters)
}

/// Begins the series of every histogram and counter, so that a test sees the names that Prometheus
/// sees.
#[doc(hidden)]
pub fn begin_all() {
    HISTOGRAMS.iter().for_each(|one| one.record(std::time::Duration::ZERO, &[]));
    COUNTERS.iter().for_each(|one| one.add(0, &[]));
}
