//! The connection to NATS and the names of streams and subjects in it.

use std::time::Duration;

use async_nats::jetstream::{self, stream};
use async_nats::{ConnectOptions, ServerAddr};

use runtime::caller::Peers;
use runtime::settings::Mode;
use runtime::status::chain;
use runtime::{BoxError, Reader, TlsSettings, scope};
use secrecy::ExposeSecret as _;

/// The timeout of a request to NATS.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The size of a stream; older events are read from their source.
const STREAM_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// The size of the stream of a server with a prefix, as tests use it.
const ROOM_BYTES_MAX: i64 = 1024 * 1024;

/// The address of NATS, and the prefix of our names in it.
#[derive(Debug, Clone)]
pub struct Nats {
    url: String,
    prefix: String,
    bytes_max: i64,
    peers: Option<Peers>,
    signatures: Signatures,
    replicas: Replicas,
}

kernel::words! {
    /// The number of replicas of each stream; an even number would survive no more failures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Replicas {
        One = "1",
        Three = "3",
        Five = "5",
    }
}

impl Replicas {
    const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Three => 3,
            Self::Five => 5,
        }
    }
}

kernel::words! {
    /// What to do with events that have no signature.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Signatures {
        /// They are read from their source; events of the previous release have none.
        Expected = "expected",
        /// They are read from their source, and each is logged as an error.
        Required = "required",
    }
}

impl Nats {
    /// The NATS server at `url`.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: String::new(),
            bytes_max: STREAM_BYTES_MAX,
            peers: None,
            signatures: Signatures::Expected,
            replicas: Replicas::One,
        }
    }

    /// No server: all services run in one process, and wake each other in it.
    #[must_use]
    pub fn none() -> Self {
        Self::new(String::new())
    }

    /// Whether there is no server.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.url.is_empty()
    }

    /// Reads the address (`NATS_URL`), whether events must be signed (`EVENT_SIGNATURES`), and the
    /// number of replicas of streams (`NATS_STREAM_REPLICAS`: 1, 3 or 5). Production refuses a
    /// server without users: any program that reaches it could publish as any service. Where all
    /// services share a process no address means no server.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let url = match reader.optional_secret("NATS_URL") {
            None if reader.shares_process() => return Self::none(),
            None => reader.secret("NATS_URL"),
            Some(url) => url,
        };
        let url = url.expose_secret().to_owned();
        let signatures = reader.parse_or("EVENT_SIGNATURES", Signatures::Expected);
        let replicas = reader.parse_or("NATS_STREAM_REPLICAS", Replicas::One);
        let address = url.parse::<ServerAddr>();
        let has_user = address.is_ok_and(|it| it.username().is_some() && it.password().is_some());
        if reader.mode() == Mode::Production && !url.is_empty() && !has_user {
            reader
                .problem("NATS_URL", "it names no user with a password, as nats://user:word@host");
        }
        Self { signatures, replicas, ..Self::new(url) }
    }

    /// Adds the keys of a service: it signs what it publishes, and accepts only messages that their
    /// source has signed. Without keys it accepts no message.
    #[must_use]
    pub fn with_keys(self, peers: &Peers) -> Self {
        Self { peers: Some(peers.clone()), ..self }
    }

    pub(crate) fn peers(&self) -> Option<&Peers> {
        self.peers.as_ref()
    }

    pub(crate) fn signatures(&self) -> Signatures {
        self.signatures
    }

    /// The same server with a prefix for every stream and subject, so that tests do not meet. Such
    /// streams are small, because the server reserves a stream's space when it is made.
    #[must_use]
    pub fn in_room(url: impl Into<String>, prefix: &str) -> Self {
        let bytes_max = ROOM_BYTES_MAX;
        Self { prefix: format!("{prefix}-"), bytes_max, ..Self::new(url) }
    }

    pub(crate) async fn connect(&self, name: &str) -> Result<jetstream::Context, BoxError> {
        let address: ServerAddr = self.url.parse()?;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(TIMEOUT)
            .request_timeout(Some(TIMEOUT));
        // The client does not read the user from the address by itself. Each user has an inbox of
        // its own; a user that may subscribe to all inboxes would read the answers to others.
        if let (Some(user), Some(password)) = (address.username(), address.password()) {
            options = options.custom_inbox_prefix(format!("_INBOX_{user}"));
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        // The client reads the files at each connection, so new certificates need no restart.
        if let Some(tls) = scope::tls().filter(|_tls| address.tls_required()) {
            let TlsSettings { authority, certificate, key } = tls.settings().clone();
            options = options.add_root_certificates(authority);
            options = options.add_client_certificate(certificate, key);
        }
        let client = tokio::time::timeout(TIMEOUT, options.connect(address)).await??;
        Ok(jetstream::new(client))
    }

    /// Finds the stream of a source's events. Only the source itself makes it.
    pub(crate) async fn stream(
        &self,
        context: &jetstream::Context,
        source: &str,
    ) -> Result<stream::Stream, BoxError> {
        Ok(context.get_stream(self.stream_config(source).name).await?)
    }

    /// Makes or finds the stream of the own events, and corrects its number of replicas. If the
    /// server refuses that, the stream stays as it is, because events can do without it.
    pub(crate) async fn own_stream(
        &self,
        context: &jetstream::Context,
        source: &str,
    ) -> Result<stream::Stream, BoxError> {
        let config = self.stream_config(source);
        let stream = context.get_or_create_stream(config.clone()).await?;
        // An old server ignores settings that it does not know, so the answer is compared.
        if stream.cached_info().config.subjects != config.subjects {
            return Err(format!("the stream {} has other subjects", config.name).into());
        }
        let replicas = stream.cached_info().config.num_replicas;
        if replicas != config.num_replicas {
            let stream = &config.name;
            match context.update_stream(&config).await {
                Ok(_info) => {
                    tracing::info!(stream, from = replicas, to = config.num_replicas, "moved");
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(error, stream, replicas, "the stream could not be moved");
                }
            }
        }
        Ok(stream)
    }

    fn stream_config(&self, source: &str) -> stream::Config {
        stream::Config {
            name: format!("{}{}", self.prefix, source.to_uppercase()),
            subjects: vec![format!("{}events.{source}.>", self.prefix)],
            max_bytes: self.bytes_max,
            max_age: Duration::from_secs(7 * 24 * 3600),
            discard: stream::DiscardPolicy::Old,
            storage: stream::StorageType::File,
            num_replicas: self.replicas.count(),
            ..stream::Config::default()
        }
    }

    /// The subject of an event type, for example `events.booking.v1.BookingRequested`.
    pub(crate) fn subject(&self, event_type: &str) -> String {
        format!("{}events.{event_type}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::Nats;

    #[test]
    fn a_stream_is_on_as_many_servers_as_is_set() {
        let read = |replicas: &str| {
            let source: &[(&str, &str)] = &[
                ("NATS_URL", "nats://127.0.0.1:4222"),
                ("NATS_STREAM_REPLICAS", replicas),
                ("SUKOON_MODE", "development"),
            ];
            let mut reader = runtime::Reader::new(&source);
            let nats = Nats::read(&mut reader);
            reader.finish(nats.stream_config("booking").num_replicas).ok()
        };
        assert_eq!(Nats::new("nats://127.0.0.1:4222").stream_config("booking").num_replicas, 1);
        assert_eq!(["1", "3", "5"].map(read), [Some(1), Some(3), Some(5)]);
        assert_eq!(["0", "2", "x"].map(read), [None; 3]);
    }

    #[test]
    fn streams_and_subjects_have_these_names() {
        let nats = Nats::new("nats://127.0.0.1:4222");
        let line = |source: &str| {
            let config = nats.stream_config(source);
            let event = nats.subject(&format!("{source}.v1.Event"));
            format!(
                "{} {:?} {event}\n  bytes: {}; age: {:?}; {:?}; {:?}\n",
                config.name,
                config.subjects,
                config.max_bytes,
                config.max_age,
                config.discard,
                config.storage,
            )
        };
        let sources = ["booking", "identity", "notifications", "payments", "reviews"];
        insta::assert_snapshot!("streams", sources.map(line).concat());
    }
}
