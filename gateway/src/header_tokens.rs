//! Names of types and encodings in headers. HTTP lets a client write them in capitals (RFC 9110,
//! 8.3.1 and 8.4.1); the Connect library takes small letters only.

use connectrpc::{ConnectError, ErrorCode};
use http::header::Entry;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::error_response::gateway_error;

/// The compression of the messages of a stream.
pub(crate) const ENVELOPE_ENCODING: HeaderName =
    HeaderName::from_static("connect-content-encoding");
const ENVELOPE_ACCEPTED: HeaderName = HeaderName::from_static("connect-accept-encoding");
/// The compressions that the library takes, and none.
const ENCODINGS: [&str; 3] = ["gzip", "zstd", "identity"];

/// Writes these names in small letters.
pub(crate) fn fold_case(headers: &mut HeaderMap) {
    let encodings =
        [header::CONTENT_ENCODING, header::ACCEPT_ENCODING, ENVELOPE_ENCODING, ENVELOPE_ACCEPTED];
    for name in encodings {
        fold(headers, name, |_byte| true);
    }
    // A parameter's value may depend on case, the type doesn't.
    fold(headers, header::CONTENT_TYPE, |byte| byte != b';');
}

/// Folds a header's values as long as the bytes belong to names.
fn fold(headers: &mut HeaderMap, name: HeaderName, is_name: impl Fn(u8) -> bool) {
    let Entry::Occupied(mut values) = headers.entry(name) else { return };
    for value in values.iter_mut() {
        let mut bytes = value.as_bytes().to_vec();
        let names = bytes.iter_mut().take_while(|byte| is_name(**byte));
        names.for_each(u8::make_ascii_lowercase);
        if let Ok(folded) = HeaderValue::from_bytes(&bytes) {
            *value = folded;
        }
    }
}

/// Checks the encoding of a message, or of a stream's messages.
pub(crate) fn check_encoding(headers: &HeaderMap, is_stream: bool) -> Result<(), ConnectError> {
    let name = if is_stream { ENVELOPE_ENCODING } else { header::CONTENT_ENCODING };
    let is_taken = headers.get(name).is_none_or(|sent| ENCODINGS.iter().any(|taken| sent == taken));
    if is_taken { Ok(()) } else { Err(unknown_encoding()) }
}

/// The error of an encoding that is not taken, with those that are.
pub(crate) fn unknown_encoding() -> ConnectError {
    let taken = ENCODINGS.join(", ");
    let sentence = format!("The request's encoding is not understood. These are: {taken}.");
    gateway_error(ErrorCode::Unimplemented, "UNSUPPORTED_ENCODING", &sentence)
}

#[cfg(test)]
mod tests {
    use connectrpc::CompressionRegistry;

    use super::*;

    #[test]
    fn the_encodings_are_those_of_the_library() {
        let library = CompressionRegistry::default();
        assert_eq!(format!("{}, identity", library.accept_encoding_header()), ENCODINGS.join(", "));
    }

    #[test]
    fn only_names_are_folded() {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_static;
        headers.insert(header::CONTENT_TYPE, value("Application/JSON; charset=UTF-8"));
        headers.insert(header::ACCEPT_ENCODING, value("BR, GZip;q=0.5"));
        headers.insert(header::AUTHORIZATION, value("Bearer ABC"));
        fold_case(&mut headers);
        assert_eq!(headers[header::CONTENT_TYPE], "application/json; charset=UTF-8");
        assert_eq!(headers[header::ACCEPT_ENCODING], "br, gzip;q=0.5");
        assert_eq!(headers[header::AUTHORIZATION], "Bearer ABC");
    }
}
