//! The calls and messages of `proto/`, read from its compiled descriptors once. By them JSON
//! becomes protobuf and back, so the gateway has no generated types of its own.

use std::collections::HashMap;
use std::sync::Arc;

use buffa::DecodeOptions;
use buffa_descriptor::generated::descriptor::method_options::IdempotencyLevel as Declared;
use buffa_descriptor::{
    DescriptorPool, DynamicMessage, DynamicMessageSeed, MessageIndex, MethodDescriptor, PoolError,
    ReflectMessage, Value,
};
use bytes::Bytes;
use connectrpc::{CodecFormat, ConnectError, IdempotencyLevel, Spec, StreamType};
use serde::de::DeserializeSeed as _;

/// All calls of the contract, by their path, "/package.Service/Method".
pub(crate) struct Schema(HashMap<&'static str, Method>);

/// One call.
#[derive(Clone)]
pub(crate) struct Method {
    pub(crate) spec: Spec,
    pub(crate) input: MessageType,
    pub(crate) output: MessageType,
}

/// The type of a message.
#[derive(Clone)]
pub(crate) struct MessageType {
    pool: Arc<DescriptorPool>,
    index: MessageIndex,
}

impl Schema {
    /// Reads the contract's descriptors.
    ///
    /// # Errors
    /// They are malformed.
    pub(crate) fn load() -> Result<Self, PoolError> {
        let pool = Arc::new(DescriptorPool::decode(contract::DESCRIPTORS)?);
        let type_of = |index| MessageType { pool: pool.clone(), index };
        let mut methods = HashMap::new();
        for service in pool.services() {
            for method in service.methods() {
                let path = format!("/{}/{}", service.full_name(), method.name());
                let spec = spec(path, method);
                let (input, output) = (type_of(method.input()), type_of(method.output()));
                methods.insert(spec.procedure, Method { spec, input, output });
            }
        }
        Ok(Self(methods))
    }

    /// The call of this path.
    pub(crate) fn method(&self, path: &str) -> Option<&Method> {
        self.0.get(path)
    }
}

/// The library's description of a call. It holds its path for as long as the process lives, so this
/// happens once per call and process.
fn spec(path: String, method: &MethodDescriptor) -> Spec {
    let stream_type = match (method.is_client_streaming(), method.is_server_streaming()) {
        (false, false) => StreamType::Unary,
        (false, true) => StreamType::ServerStream,
        (true, false) => StreamType::ClientStream,
        (true, true) => StreamType::BidiStream,
    };
    let level = match method.options().and_then(|options| options.idempotency_level) {
        Some(Declared::NO_SIDE_EFFECTS) => IdempotencyLevel::NoSideEffects,
        Some(Declared::IDEMPOTENT) => IdempotencyLevel::Idempotent,
        Some(Declared::IDEMPOTENCY_UNKNOWN) | None => IdempotencyLevel::Unknown,
    };
    Spec::server(path.leak(), stream_type).with_idempotency_level(level)
}

impl MessageType {
    /// A client's message in protobuf. One that is protobuf already is checked and stays as it is.
    ///
    /// # Errors
    /// It is no message of this type.
    pub(crate) fn read(
        &self,
        message: Bytes,
        format: CodecFormat,
        limits: &DecodeOptions,
    ) -> Result<Bytes, ConnectError> {
        match format {
            CodecFormat::Proto => {
                let read = self.decode(&message, limits).map_err(malformed)?;
                if has_misfit(&read) {
                    Err(malformed("a field of another kind"))
                } else {
                    Ok(message)
                }
            }
            CodecFormat::Json => {
                let read = self.read_json(&message).map_err(malformed)?;
                read.try_encode_to_vec().map(Bytes::from).map_err(malformed)
            }
            _ => Err(unknown_format()),
        }
    }

    /// A service's message in the format that the client asked for.
    ///
    /// # Errors
    /// It is no message of this type.
    pub(crate) fn write(&self, message: Bytes, format: CodecFormat) -> Result<Bytes, ConnectError> {
        let failed = |error: String| ConnectError::internal(error);
        match format {
            CodecFormat::Proto => Ok(message),
            CodecFormat::Json => {
                let read = self.decode(&message, &DecodeOptions::new());
                let read = read.map_err(|error| failed(error.to_string()))?;
                let json = serde_json::to_vec(&read).map_err(|error| failed(error.to_string()))?;
                Ok(json.into())
            }
            _ => Err(unknown_format()),
        }
    }

    fn decode(
        &self,
        message: &[u8],
        limits: &DecodeOptions,
    ) -> Result<DynamicMessage, buffa::DecodeError> {
        DynamicMessage::decode_with_options(self.pool.clone(), self.index, message, limits)
    }

    /// Unknown fields are passed over, because a page may be newer than the gateway.
    fn read_json(&self, json: &[u8]) -> Result<DynamicMessage, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_slice(json);
        let seed = DynamicMessageSeed::new(self.pool.clone(), self.index);
        let read = seed.ignore_unknown_fields(true).deserialize(&mut json)?;
        json.end()?;
        Ok(read)
    }
}

/// Whether a field came in a form that its type doesn't have. Reflection takes such a field for an
/// unknown one, and the service would not be able to read the message.
fn has_misfit(message: &DynamicMessage) -> bool {
    let known = message.message_descriptor();
    message.unknown_fields().iter().any(|field| known.field(field.number).is_some())
        || known
            .fields()
            .iter()
            .any(|field| message.field_by_number(field.number()).is_some_and(is_misfit))
}

fn is_misfit(value: &Value) -> bool {
    match value {
        Value::Message(message) => has_misfit(message),
        Value::List(items) => items.iter().any(is_misfit),
        Value::Map(entries) => entries.iter().any(|(_key, value)| is_misfit(value)),
        _ => false,
    }
}

/// The library may learn another format; until this file knows it, too, clients can't use it.
fn unknown_format() -> ConnectError {
    ConnectError::unimplemented("an unknown format")
}

fn malformed(error: impl std::fmt::Display) -> ConnectError {
    ConnectError::invalid_argument(error.to_string())
}

#[cfg(test)]
mod tests;
