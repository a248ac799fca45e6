//! The connection to NATS and the names of streams and subjects in it.

use std::time::Duration;

use async_nats::jetstream::{self, stream};
use async_nats::{ConnectOptions, ServerAddr};

use runtime::BoxError;

/// How long anything that is asked of NATS may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A stream keeps this much; what is older is read from its source.
const STREAM_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// A room's stream keeps this much.
const ROOM_BYTES_MAX: i64 = 1024 * 1024;

/// Where NATS is and how our names in it begin.
#[derive(Debug, Clone)]
pub struct Nats {
    url: String,
    prefix: String,
    bytes_max: i64,
}

impl Nats {
    /// The NATS server at `url`.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), prefix: String::new(), bytes_max: STREAM_BYTES_MAX }
    }

    /// The same server with a room of its own: every stream and subject begins with `prefix`. Rooms
    /// are small, because the server sets a stream's space aside when it is made.
    #[must_use]
    pub fn in_room(url: impl Into<String>, prefix: &str) -> Self {
        Self { url: url.into(), prefix: format!("{prefix}-"), bytes_max: ROOM_BYTES_MAX }
    }

    pub(crate) async fn connect(&self, name: &str) -> Result<jetstream::Context, BoxError> {
        let address: ServerAddr = self.url.parse()?;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(TIMEOUT)
            .request_timeout(Some(TIMEOUT));
        // The client does not read who it is from the address by itself.
        if let (Some(user), Some(password)) = (address.username(), address.password()) {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        let client = tokio::time::timeout(TIMEOUT, options.connect(address)).await??;
        Ok(jetstream::new(client))
    }

    /// Makes the stream of a source's events, or finds it.
    pub(crate) async fn stream(
        &self,
        context: &jetstream::Context,
        source: &str,
    ) -> Result<stream::Stream, BoxError> {
        let config = self.stream_config(source);
        let stream = context.get_or_create_stream(config.clone()).await?;
        // An old server drops what it does not know without a word, so the answer is read back.
        if stream.cached_info().config.subjects != config.subjects {
            return Err(format!("the stream {} has other subjects", config.name).into());
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
