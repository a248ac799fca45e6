//! The labels that points of metrics may have. This list is the whole of it: each label has a
//! closed set of values that this program or its configuration knows, and none is about a person.

use std::borrow::Cow;

use opentelemetry::{KeyValue, Value};

use crate::scope::Scope;

kernel::words! {
    /// A label with its name, by the semantic conventions where they have one; Prometheus shows `_`
    /// for dots. Its values are words of the program, never what a request brought.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Label {
        /// A gRPC method, `booking.v1.BookingService/RequestBooking`, or `_OTHER`.
        RpcMethod = "rpc.method",
        /// The name of the answer's code, `OK` or `NOT_FOUND`.
        RpcStatus = "rpc.response.status_code",
        /// The protocol of calls, `grpc`.
        RpcSystem = "rpc.system.name",
        /// An HTTP method, or `_OTHER`.
        HttpMethod = "http.request.method",
        /// The pattern that a path matched, never the path.
        HttpRoute = "http.route",
        /// The status of an HTTP answer.
        HttpStatus = "http.response.status_code",
        /// The class of a failure: a code's name or a status.
        ErrorType = "error.type",
        /// The pool of connections, named after its service.
        Pool = "db.client.connection.pool.name",
        /// What a connection of a pool is: `idle` or `used`.
        ConnectionState = "db.client.connection.state",
        /// The kind of a timer or mail.
        Kind = "kind",
        /// How something ended: `done`, `failed`.
        Outcome = "outcome",
        /// The state of a mail, booking or refund.
        State = "state",
        /// A consumer of events, `payments-on-booking`.
        Consumer = "consumer",
        /// What a figure was read from, or the check that it is about.
        Check = "check",
        /// Why the edge refused something.
        Reason = "reason",
        /// An account of the ledger.
        Account = "account",
        /// A currency's code.
        Currency = "currency",
        /// A service, in a process that runs several; every point has it there.
        Service = "service.name",
    }
}

impl Label {
    /// The label with one of its values.
    #[must_use]
    pub fn of(self, value: impl Into<Value>) -> KeyValue {
        KeyValue::new(self.word(), value)
    }
}

/// The labels of a point of the service that is at work here, which is named if others run in its
/// process.
pub(super) fn with_service(labels: &[KeyValue]) -> Cow<'_, [KeyValue]> {
    match Scope::current().and_then(|scope| scope.name_among_others()) {
        Some(name) => Cow::Owned([labels, &[Label::Service.of(name)]].concat()),
        None => Cow::Borrowed(labels),
    }
}
