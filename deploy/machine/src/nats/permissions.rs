//! Who may do what in NATS: each service publishes its own events, makes its own stream, and reads
//! the streams of the services whose events it takes in. Answers come to an inbox of its own, which
//! no other service can subscribe to.

/// Each service that uses NATS, with the services whose events it takes in.
pub(crate) const SUBSCRIPTIONS: [(&str, &[&str]); 5] = [
    ("booking", &["notifications", "payments"]),
    ("identity", &[]),
    ("notifications", &["booking", "identity", "payments", "reviews"]),
    ("payments", &["booking"]),
    ("reviews", &["booking"]),
];

/// The subjects that a user may publish to, and those that it may subscribe to.
#[derive(Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Published: its own events, and what it asks JetStream.
    pub publish: Vec<String>,
    /// Subscribed: the answers.
    pub subscribe: Vec<String>,
}

impl Permissions {
    /// Those of a service; `None` when it does not use NATS.
    pub fn of(service: &str) -> Option<Self> {
        let (_, sources) = SUBSCRIPTIONS.iter().find(|(name, _)| *name == service)?;
        let own = service.to_uppercase();
        let mut publish = vec![
            format!("events.{service}.>"),
            format!("$JS.API.STREAM.CREATE.{own}"),
            format!("$JS.API.STREAM.INFO.{own}"),
            // It says on how many servers of a cluster the stream is.
            format!("$JS.API.STREAM.UPDATE.{own}"),
        ];
        for source in *sources {
            publish.extend(reading(service, source));
        }
        Some(Self { publish, subscribe: vec![format!("_INBOX_{service}.>")] })
    }
}

/// What a service asks to read a source's stream through the durable consumer of its own.
fn reading(service: &str, source: &str) -> [String; 7] {
    let stream = source.to_uppercase();
    let consumer = format!("{stream}.{service}-on-{source}");
    [
        format!("$JS.API.STREAM.INFO.{stream}"),
        format!("$JS.API.CONSUMER.INFO.{consumer}"),
        format!("$JS.API.CONSUMER.CREATE.{consumer}"),
        format!("$JS.API.CONSUMER.DELETE.{consumer}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{consumer}"),
        format!("$JS.ACK.{consumer}.>"),
        // The form of later servers: domain and account come before the stream.
        format!("$JS.ACK.*.*.{consumer}.>"),
    ]
}
