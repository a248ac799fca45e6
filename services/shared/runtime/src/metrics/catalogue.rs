//! Every metric of every process, with its meaning. Alerts, boards and `docs/OBSERVABILITY.md` name
//! these and no others, which a test compares. Names are those of the semantic conventions where
//! they have one, and else begin with `sukoon`.

use super::instrument::{Counter, Definition, DurationHistogram, Gauge};
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
/// What the edge refuses.
pub static EDGE_REFUSALS: Counter = Counter::new(
    "sukoon.edge.refusals",
    "{refusal}",
    "Connections and requests that the gateway refused, by reason.",
    &[Label::Reason],
);

/// Sources of readings that cannot be read now; their gauges are absent meanwhile.
pub static SOURCE_FAILING: Gauge = Gauge::new(
    "sukoon.source.failing",
    "{source}",
    "1 while a source of gauges cannot be read, and its gauges are absent.",
    &[Label::Check],
);
/// Checks of readiness, and concerns, that fail now.
pub static CHECK_FAILING: Gauge = Gauge::new(
    "sukoon.check.failing",
    "{check}",
    "1 while a check of the process fails: what it needs, or what a person has to look at.",
    &[Label::Check],
);
static HISTOGRAMS: [&DurationHistogram; 2] =
    [&RPC_SERVER_CALL_DURATION, &HTTP_SERVER_REQUEST_DURATION];
static COUNTERS: [&Counter; 1] = [&EDGE_REFUSALS];
pub(super) static GAUGES: [&Gauge; 2] = [&SOURCE_FAILING, &CHECK_FAILING];

/// What all of them are.
pub fn definitions() -> impl Iterator<Item = &'static Definition> {
    let histograms = HISTOGRAMS.iter().map(|one| one.definition());
    let counters = COUNTERS.iter().map(|one| one.definition());
    histograms.chain(counters).chain(GAUGES.iter().map(|one| one.definition()))
}

/// Begins the series of every histogram and counter, so that a test sees the names that Prometheus
/// sees.
#[doc(hidden)]
pub fn begin_all() {
    HISTOGRAMS.iter().for_each(|one| one.record(std::time::Duration::ZERO, &[]));
    COUNTERS.iter().for_each(|one| one.add(0, &[]));
}

/// One reading of each gauge: the same for these.
#[doc(hidden)]
#[must_use]
pub fn gauges() -> &'static [&'static Gauge] {
    &GAUGES
}
