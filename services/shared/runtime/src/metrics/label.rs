//! The labels that points of metrics may have. This list is the whole of it: each label has a
//! closed set of values that this program or its configuration knows, and none is about a person.

use opentelemetry::{KeyValue, Value};

/// A label. Its values are words of the program, never what a request brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A gRPC method, `booking.v1.BookingService/RequestBooking`, or `_OTHER`.
    RpcMethod,
    /// The name of the answer's code, `OK` or `NOT_FOUND`.
    RpcStatus,
    /// The protocol of calls, `grpc`.
    RpcSystem,
    /// An HTTP method, or `_OTHER`.
    HttpMethod,
    /// The pattern that a path matched, never the path.
    HttpRoute,
    /// The status of an HTTP answer.
    HttpStatus,
    /// The class of a failure: a code's name or a status.
    ErrorType,
    /// The pool of connections, named after its service.
    Pool,
    /// What a connection of a pool is: `idle` or `used`.
    ConnectionState,
    /// The kind of a timer or mail.
    Kind,
    /// How something ended: `done`, `failed`.
    Outcome,
    /// The state of a mail, booking or refund.
    State,
    /// A consumer of events, `payments-on-booking`.
    Consumer,
    /// What a figure was read from, or the check that it is about.
    Check,
    /// Why the edge refused something.
    Reason,
    /// An account of the ledger.
    Account,
    /// A currency's code.
    Currency,
}

impl Label {
    /// Every label there is.
    pub const ALL: [Self; 17] = [
        Self::RpcMethod,
        Self::RpcStatus,
        Self::RpcSystem,
        Self::HttpMethod,
        Self::HttpRoute,
        Self::HttpStatus,
        Self::ErrorType,
        Self::Pool,
        Self::ConnectionState,
        Self::Kind,
        Self::Outcome,
        Self::State,
        Self::Consumer,
        Self::Check,
        Self::Reason,
        Self::Account,
        Self::Currency,
    ];

    /// Its name, by the semantic conventions where they have one. Prometheus shows `_` for dots.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::RpcMethod => "rpc.method",
            Self::RpcStatus => "rpc.response.status_code",
            Self::RpcSystem => "rpc.system.name",
            Self::HttpMethod => "http.request.method",
            Self::HttpRoute => "http.route",
            Self::HttpStatus => "http.response.status_code",
            Self::ErrorType => "error.type",
            Self::Pool => "db.client.connection.pool.name",
            Self::ConnectionState => "db.client.connection.state",
            Self::Kind => "kind",
            Self::Outcome => "outcome",
            Self::State => "state",
            Self::Consumer => "consumer",
            Self::Check => "check",
            Self::Reason => "reason",
            Self::Account => "account",
            Self::Currency => "currency",
        }
    }

    /// The label with one of its values.
    #[must_use]
    pub fn of(self, value: impl Into<Value>) -> KeyValue {
        KeyValue::new(self.key(), value)
    }
}
