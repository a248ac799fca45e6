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
/// Runs of timers.
pub static TIMER_DURATION: DurationHistogram = DurationHistogram::new(
    "sukoon.timer.duration",
    "How long a timer's work took; one that failed is tried again.",
    &[Label::Kind, Label::Outcome],
);

/// Steps of the probe.
pub static PROBE_DURATION: DurationHistogram = DurationHistogram::new(
    "sukoon.probe.duration",
    "How long a step of the probe took, and whether it was done or failed.",
    &[Label::Kind, Label::Outcome],
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
/// Connections of the pool.
pub static DB_CONNECTIONS: Gauge = Gauge::new(
    "db.client.connection.count",
    "{connection}",
    "Connections to the service's database, idle or used.",
    &[Label::Pool, Label::ConnectionState],
);
/// How many there may be.
pub static DB_CONNECTIONS_MAX: Gauge = Gauge::new(
    "db.client.connection.max",
    "{connection}",
    "The most connections that the service opens to its database.",
    &[Label::Pool],
);
/// Timers that are due and not done.
pub static TIMERS_DUE: Gauge = Gauge::new(
    "sukoon.timers.due",
    "{timer}",
    "Timers that are due and not done yet, counted up to some thousands.",
    &[Label::Kind],
);
/// For how long the oldest of them waits.
pub static TIMERS_LATENESS: Gauge = Gauge::new(
    "sukoon.timers.lateness",
    "s",
    "For how long the oldest timer that is due has waited.",
    &[Label::Kind],
);
/// Timers that were tried and failed.
pub static TIMERS_FAILING: Gauge = Gauge::new(
    "sukoon.timers.failing",
    "{timer}",
    "Timers that are due and were tried more than once, at most 1000.",
    &[Label::Kind],
);
/// Events that a consumer has not taken in.
pub static CONSUMER_LAG: Gauge = Gauge::new(
    "sukoon.consumer.lag",
    "{event}",
    "Events that a consumer has not taken in yet.",
    &[Label::Consumer],
);
/// For how long the oldest of them waits.
pub static CONSUMER_LAG_AGE: Gauge = Gauge::new(
    "sukoon.consumer.lag.age",
    "s",
    "For how long the oldest event that a consumer has not taken in has waited.",
    &[Label::Consumer],
);
/// Events that wait for a person.
pub static EVENTS_PARKED: Gauge = Gauge::new(
    "sukoon.events.parked",
    "{event}",
    "Events that a consumer could not take in and that wait for a person.",
    &[Label::Consumer],
);
/// For how long the oldest event without a position waits.
pub static OUTBOX_AGE: Gauge = Gauge::new(
    "sukoon.outbox.age",
    "s",
    "For how long the oldest event that the relay has not numbered has waited.",
    &[],
);
/// Events that NATS does not have.
pub static FEED_UNPUBLISHED: Gauge = Gauge::new(
    "sukoon.feed.unpublished",
    "{event}",
    "Events with a position that were not published to NATS yet.",
    &[],
);
/// Mails that are not done.
pub static MAILS: Gauge = Gauge::new(
    "sukoon.mails",
    "{mail}",
    "Mails by state, at most 10000 of each; those that were sent are of the last day.",
    &[Label::State],
);
/// For how long the oldest mail that could be sent waits.
pub static MAILS_LATENESS: Gauge = Gauge::new(
    "sukoon.mails.lateness",
    "s",
    "For how long the mail has waited that has been due for longest.",
    &[],
);
/// Sums of the ledger's accounts.
pub static MONEY_BALANCE: Gauge = Gauge::new(
    "sukoon.money.balance",
    "{minor_unit}",
    "The balance of an account of the ledger, debits positive.",
    &[Label::Account, Label::Currency],
);
/// The sum of all accounts.
pub static LEDGER_IMBALANCE: Gauge = Gauge::new(
    "sukoon.ledger.imbalance",
    "{minor_unit}",
    "The sum of all accounts of the ledger, which is zero.",
    &[Label::Currency],
);
/// What moved.
pub static MONEY_MOVED: Gauge = Gauge::new(
    "sukoon.money.moved",
    "{minor_unit}",
    "What the ledger's entries of the last 24 hours moved, by their kind.",
    &[Label::Kind, Label::Currency],
);
/// What nothing explains.
pub static MONEY_UNEXPLAINED: Gauge = Gauge::new(
    "sukoon.money.unexplained",
    "{exception}",
    "Orders, payments and settlements that nothing explains yet, by reason.",
    &[Label::Reason],
);
/// For how long.
pub static MONEY_UNEXPLAINED_AGE: Gauge = Gauge::new(
    "sukoon.money.unexplained.age",
    "s",
    "For how long the oldest of them has been there.",
    &[Label::Reason],
);
/// Times that are held.
pub static HOLDS: Gauge = Gauge::new(
    "sukoon.holds",
    "{hold}",
    "Times that are held for a payment now, at most 10000.",
    &[],
);
/// Holds whose end was not noticed.
pub static HOLDS_OVERDUE: Gauge = Gauge::new(
    "sukoon.holds.overdue",
    "{hold}",
    "Holds that should have ended more than a minute ago and still take a time.",
    &[],
);
/// Bookings in one time.
pub static BOOKINGS_OVERLAPPING: Gauge = Gauge::new(
    "sukoon.bookings.overlapping",
    "{pair}",
    "Pairs of live bookings to come that take the same time of one practitioner; never any.",
    &[],
);
/// Failures of the probe that nothing has followed.
pub static PROBE_FAILURES: Gauge = Gauge::new(
    "sukoon.probe.failures",
    "{failure}",
    "How often in succession a step of the probe has failed.",
    &[Label::Kind],
);
/// When the probe last ended.
pub static PROBE_AGE: Gauge =
    Gauge::new("sukoon.probe.age", "s", "How long ago the probe was done with its steps.", &[]);
/// Sessions of the next week.
pub static SESSIONS_AHEAD: Gauge = Gauge::new(
    "sukoon.sessions.ahead",
    "{session}",
    "Booked sessions that begin within the next seven days.",
    &[],
);

static HISTOGRAMS: [&DurationHistogram; 4] =
    [&RPC_SERVER_CALL_DURATION, &HTTP_SERVER_REQUEST_DURATION, &TIMER_DURATION, &PROBE_DURATION];
static COUNTERS: [&Counter; 1] = [&EDGE_REFUSALS];
pub(super) static GAUGES: [&Gauge; 25] = [
    &SOURCE_FAILING,
    &CHECK_FAILING,
    &DB_CONNECTIONS,
    &DB_CONNECTIONS_MAX,
    &TIMERS_DUE,
    &TIMERS_LATENESS,
    &TIMERS_FAILING,
    &CONSUMER_LAG,
    &CONSUMER_LAG_AGE,
    &EVENTS_PARKED,
    &OUTBOX_AGE,
    &FEED_UNPUBLISHED,
    &MAILS,
    &MAILS_LATENESS,
    &MONEY_BALANCE,
    &LEDGER_IMBALANCE,
    &MONEY_MOVED,
    &MONEY_UNEXPLAINED,
    &MONEY_UNEXPLAINED_AGE,
    &HOLDS,
    &HOLDS_OVERDUE,
    &BOOKINGS_OVERLAPPING,
    &SESSIONS_AHEAD,
    &PROBE_FAILURES,
    &PROBE_AGE,
];

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
