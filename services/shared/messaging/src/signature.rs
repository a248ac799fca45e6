//! The signature of a published event, by the key with which its source calls other services.
//!
//! Each message has the digest of the message before it, so the signature of a batch's last message
//! covers the whole batch: a consumer checks one signature and hashes the rest. Messages without a
//! valid signature are ignored, and their events are read from the source.

use async_nats::HeaderMap;
use kernel::hex;
use runtime::BoxError;
use runtime::caller::Peers;
use sha2::{Digest as _, Sha256};

use crate::wire::MESSAGE_ID;

/// The digest of the message that was published before this one.
const CHAIN: &str = "Sukoon-Chain";
/// The signature of this message's digest, in base64url.
const SIGNATURE: &str = "Sukoon-Signature";

/// Signs the messages of one connection, in their order.
pub(crate) struct MessageSigner<'p> {
    source: &'p str,
    peers: Option<&'p Peers>,
    last: Option<String>,
}

impl<'p> MessageSigner<'p> {
    /// A signer for `source`; without keys it signs nothing.
    pub(crate) fn new(source: &'p str, peers: Option<&'p Peers>) -> Self {
        Self { source, peers, last: None }
    }

    /// Adds the headers of the signature.
    pub(crate) fn sign(&mut self, headers: &mut HeaderMap, payload: &[u8]) -> Result<(), BoxError> {
        let Some(peers) = self.peers else { return Ok(()) };
        if let Some(last) = self.last.take() {
            headers.insert(CHAIN, last);
        }
        let digest = digest(self.source, headers, payload);
        headers.insert(SIGNATURE, peers.sign_message(digest.as_bytes())?);
        self.last = Some(digest);
        Ok(())
    }
}

/// The parts of a message that are signed.
pub(crate) type Message<'m> = (Option<&'m HeaderMap>, &'m [u8]);

/// What is known of a message's publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Publisher {
    /// The source published it.
    Source,
    /// The message has no signature, as those of earlier releases.
    Unsigned,
    /// The signature is not the source's.
    Stranger,
}

/// The publisher of each of these messages, which came in this order.
pub(crate) fn publishers(
    source: &str,
    peers: Option<&Peers>,
    messages: &[Message<'_>],
) -> Vec<Publisher> {
    let mut known = Vec::with_capacity(messages.len());
    // From the last to the first: a message with a valid signature vouches for the one before it.
    let mut expected: Option<String> = None;
    for (headers, payload) in messages.iter().rev() {
        let Some(headers) = headers else {
            expected = None;
            known.push(Publisher::Unsigned);
            continue;
        };
        let digest = digest(source, headers, payload);
        let publisher = if expected.as_ref() == Some(&digest) {
            Publisher::Source
        } else {
            signer_of(source, peers, headers, &digest)
        };
        expected = (publisher == Publisher::Source)
            .then(|| headers.get(CHAIN).map(ToString::to_string))
            .flatten();
        known.push(publisher);
    }
    known.reverse();
    known
}

fn signer_of(source: &str, peers: Option<&Peers>, headers: &HeaderMap, digest: &str) -> Publisher {
    let Some(signature) = headers.get(SIGNATURE) else { return Publisher::Unsigned };
    let is_source =
        peers.is_some_and(|it| it.is_signed_by(source, digest.as_bytes(), signature.as_str()));
    if is_source { Publisher::Source } else { Publisher::Stranger }
}

/// A digest of the whole message, each part with its length and each header with its name, so that
/// two different messages never have the same digest.
fn digest(source: &str, headers: &HeaderMap, payload: &[u8]) -> String {
    let mut parts: Vec<(String, String)> = Vec::new();
    for (name, values) in headers.iter() {
        let name = name.to_string();
        // A server may add headers of its own; only these are read.
        let is_read = name == MESSAGE_ID || name.starts_with("Sukoon-");
        if is_read && name != SIGNATURE {
            parts.extend(values.iter().map(|value| (name.clone(), value.to_string())));
        }
    }
    // A map has no order of its own.
    parts.sort();
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    };
    add(source.as_bytes());
    for (name, value) in &parts {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(payload);
    hex::encode(hash.finalize())
}

#[cfg(test)]
mod tests {
    use async_nats::HeaderMap;
    use testkit::TestKeys;

    use super::Publisher::{Source, Stranger, Unsigned};
    use super::{CHAIN, MessageSigner, Publisher, SIGNATURE, publishers};

    fn keys() -> TestKeys {
        TestKeys::new(&["payments", "booking"]).unwrap()
    }

    fn message(position: usize) -> (HeaderMap, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert("Sukoon-Position", position.to_string());
        headers.insert("Sukoon-Type", "payments.v1.PaymentVerified");
        (headers, format!("{{\"paymentId\":\"{position}\"}}").into_bytes())
    }

    /// Three messages of payments, in their order.
    fn published(keys: &TestKeys) -> Vec<(HeaderMap, Vec<u8>)> {
        let peers = keys.peers("payments").unwrap();
        let mut signer = MessageSigner::new("payments", Some(&peers));
        let mut messages: Vec<_> = (1..4).map(message).collect();
        for (headers, payload) in &mut messages {
            signer.sign(headers, payload).unwrap();
        }
        messages
    }

    fn told(keys: &TestKeys, messages: &[(HeaderMap, Vec<u8>)]) -> Vec<Publisher> {
        let peers = keys.peers("booking").unwrap();
        let signed: Vec<_> =
            messages.iter().map(|(headers, payload)| (Some(headers), &**payload)).collect();
        publishers("payments", Some(&peers), &signed)
    }

    #[test]
    fn what_the_source_published_is_known_however_it_is_batched() {
        let keys = keys();
        let messages = published(&keys);
        assert_eq!(told(&keys, &messages), [Source; 3]);
        for one in &messages {
            assert_eq!(told(&keys, std::slice::from_ref(one)), [Source]);
        }
        // The last signature is enough for those before it.
        let mut bare = messages.clone();
        for (headers, _payload) in bare.iter_mut().take(2) {
            headers.insert(SIGNATURE, "");
        }
        assert_eq!(told(&keys, &bare), [Source; 3]);
        assert_eq!(told(&keys, &bare[..2]), [Stranger; 2], "nothing speaks for these");
    }

    #[test]
    fn what_others_wrote_or_changed_is_not_believed() {
        let keys = keys();
        let messages = published(&keys);
        let changed = |at: usize, change: fn(&mut (HeaderMap, Vec<u8>))| {
            let mut messages = messages.clone();
            change(&mut messages[at]);
            told(&keys, &messages)
        };
        assert_eq!(changed(2, |it| it.1.push(b' ')), [Source, Source, Stranger]);
        assert_eq!(changed(0, |it| it.1.push(b' ')), [Stranger, Source, Source]);
        let moved = |it: &mut (HeaderMap, Vec<u8>)| it.0.insert("Sukoon-Position", "9");
        assert_eq!(changed(1, moved), [Source, Stranger, Source]);
        let added = |it: &mut (HeaderMap, Vec<u8>)| it.0.insert("Sukoon-Other", "9");
        assert_eq!(changed(1, added), [Source, Stranger, Source]);
        let chained = |it: &mut (HeaderMap, Vec<u8>)| it.0.insert(CHAIN, "9");
        assert_eq!(changed(2, chained), [Source, Source, Stranger]);
        assert_eq!(told(&keys, &[message(1)]), [Unsigned]);
        assert_eq!(publishers("payments", None, &[(None, b"{}")]), [Unsigned]);
    }

    #[test]
    fn a_signature_of_another_service_is_a_strangers() {
        let keys = keys();
        let booking = keys.peers("booking").unwrap();
        let (mut headers, payload) = message(1);
        MessageSigner::new("payments", Some(&booking)).sign(&mut headers, &payload).unwrap();
        assert_eq!(told(&keys, &[(headers, payload)]), [Stranger]);
        // A message of one source cannot be passed off as another's.
        let payments = published(&keys);
        let (headers, payload) = &payments[0];
        let spoken = publishers("booking", Some(&booking), &[(Some(headers), &**payload)]);
        assert_eq!(spoken, [Stranger]);
    }
}
