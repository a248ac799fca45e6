//! A message that is forwarded as it is. The Connect library's client asks for types that can
//! encode and decode themselves; these hold the bytes and look at none of them.

use buffa::encoding::{Tag, skip_field};
use buffa::view::{MessageView, OwnedView};
use buffa::{DecodeContext, DecodeError, EncodeSink, Message, SizeCache};
use bytes::{Buf, Bytes};
use connectrpc::HasMessageView;
use serde::{Deserialize, Serialize};

/// An encoded message. JSON is only asked for by the library's types: calls of services are gRPC.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct EncodedMessage(pub(crate) Bytes);

/// A received message, as the library holds it.
pub(crate) struct EncodedView<'a>(&'a [u8]);

/// A received message with its buffer.
pub(crate) struct ReceivedMessage(OwnedView<EncodedView<'static>>);

buffa::impl_default_instance!(EncodedMessage);

impl Message for EncodedMessage {
    fn compute_size(&self, _sizes: &mut SizeCache) -> u32 {
        buffa::saturate_size(self.0.len() as u64)
    }

    fn write_to(&self, _sizes: &mut SizeCache, sink: &mut impl EncodeSink) {
        sink.put_shared(self.0.clone());
    }

    fn encode_to_bytes(&self) -> Bytes {
        self.0.clone()
    }

    /// Nothing is decoded into this type; its view keeps the bytes.
    fn merge_field(
        &mut self,
        tag: Tag,
        buffer: &mut impl Buf,
        _context: DecodeContext<'_>,
    ) -> Result<(), DecodeError> {
        skip_field(tag, buffer)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<'a> MessageView<'a> for EncodedView<'a> {
    type Owned = EncodedMessage;

    fn decode_view(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(Self(bytes))
    }

    fn merge_view_field(
        &mut self,
        tag: Tag,
        mut rest: &'a [u8],
        _before: &'a [u8],
        _context: DecodeContext<'_>,
    ) -> Result<&'a [u8], DecodeError> {
        skip_field(tag, &mut rest)?;
        Ok(rest)
    }

    fn to_owned_message(&self) -> Result<EncodedMessage, DecodeError> {
        Ok(EncodedMessage(Bytes::copy_from_slice(self.0)))
    }
}

impl HasMessageView for EncodedMessage {
    type View<'a> = EncodedView<'a>;
    type ViewHandle = ReceivedMessage;
}

impl From<OwnedView<EncodedView<'static>>> for ReceivedMessage {
    fn from(view: OwnedView<EncodedView<'static>>) -> Self {
        Self(view)
    }
}

impl AsRef<OwnedView<EncodedView<'static>>> for ReceivedMessage {
    fn as_ref(&self) -> &OwnedView<EncodedView<'static>> {
        &self.0
    }
}
