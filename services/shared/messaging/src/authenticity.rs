//! Decides which messages of NATS are events of their source.

use async_nats::jetstream::Message;

use crate::nats::{Nats, Signatures};
use crate::signature::{self, Publisher};
use crate::wire::{self, ReceivedEvent};

/// The events of these messages; `None` for each that its source has not signed, or that is no
/// event. A forged event would hide the true one at its position.
pub(crate) fn believed(
    source: &str,
    nats: &Nats,
    messages: &[Message],
) -> Vec<Option<ReceivedEvent>> {
    let parts: Vec<signature::Message<'_>> =
        messages.iter().map(|message| (message.headers.as_ref(), &*message.payload)).collect();
    let publishers = signature::publishers(source, nats.peers(), &parts);
    report(source, nats.signatures(), &publishers);
    let read = |(publisher, (headers, payload)): (&Publisher, &signature::Message<'_>)| {
        (*publisher == Publisher::Source).then(|| wire::from_message(*headers, payload)).flatten()
    };
    publishers.iter().zip(&parts).map(read).collect()
}

/// Logs messages that another publisher may have written.
fn report(source: &str, signatures: Signatures, publishers: &[Publisher]) {
    let count = |wanted| publishers.iter().filter(|publisher| **publisher == wanted).count();
    let (strangers, unsigned) = (count(Publisher::Stranger), count(Publisher::Unsigned));
    if strangers > 0 {
        let events = strangers;
        tracing::error!(source, events, "events have a signature that is not their source's");
    }
    if unsigned > 0 && signatures == Signatures::Required {
        tracing::error!(source, events = unsigned, "events have no signature");
    }
}
