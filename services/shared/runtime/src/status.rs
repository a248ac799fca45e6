//! The one place where refusals become gRPC statuses, with a reason and a field for programs.
//!
//! The text of an error's source is logged here once and never leaves the process.

use std::error::Error;
use std::fmt::Write as _;

use contract::common::v1::ErrorDetail;
use kernel::{Code, CommandError, Reject, ValueRefused};
use prost::Message as _;
use prost_types::Any;
use tonic::Status;

/// The reason of a status when a part is down.
pub const SERVICE_UNAVAILABLE: &str = "SERVICE_UNAVAILABLE";
/// The sentence for people when a part is down.
pub const UNAVAILABLE_MESSAGE: &str = "This part is not available right now. Please try again.";

/// The reason of a status when a value cannot be stored.
pub const VALUE_REFUSED: &str = "VALUE_REFUSED";
/// The sentence for people about such a value.
pub const VALUE_REFUSED_MESSAGE: &str =
    "Something in it can't be kept, such as a character that can't be shown. Please type it again.";

/// The name of our detail, as other implementations of gRPC expect it.
const DETAIL_URL: &str = "type.googleapis.com/common.v1.ErrorDetail";

/// `google.rpc.Status`, the form in which gRPC carries details.
#[derive(Clone, PartialEq, prost::Message)]
struct RpcStatus {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(message, repeated, tag = "3")]
    details: Vec<Any>,
}

/// The status of a command's failure. An unavailable part is logged here.
pub fn to_status<R: Reject>(error: &CommandError<R>) -> Status {
    match error {
        CommandError::Rejected(rejection) => reject(rejection),
        CommandError::Conflict => explain(
            Code::Aborted,
            "CONFLICT",
            "",
            "Somebody else changed this at the same moment. Please try again.",
        ),
        CommandError::NotFound => {
            explain(Code::NotFound, "NOT_FOUND", "", "There is no such thing.")
        }
        CommandError::Unavailable(source) => unavailable(source.as_ref()),
    }
}

/// A rejection as a status: its code, its reason, its field, and its sentence.
pub fn reject<R: Reject>(rejection: &R) -> Status {
    let field = rejection.field().unwrap_or_default();
    explain(rejection.code(), rejection.reason(), field, &rejection.to_string())
}

/// A field of the request is wrong.
#[must_use]
pub fn invalid(field: &str, reason: &str, message: &str) -> Status {
    explain(Code::InvalidArgument, reason, field, message)
}

/// There is no such thing, or not for this caller.
#[must_use]
pub fn not_found(reason: &str) -> Status {
    explain(Code::NotFound, reason, "", "There is no such thing.")
}

/// The status when a needed part does not answer: the chain is logged, and the caller is told to
/// try again. A value that cannot be stored is no outage: the caller is told that, and need not try
/// again.
pub fn unavailable(source: &(dyn Error + 'static)) -> Status {
    if is_refused_value(source) {
        tracing::warn!(error = chain(source), "a request has a value that cannot be stored");
        return invalid("", VALUE_REFUSED, VALUE_REFUSED_MESSAGE);
    }
    tracing::error!(error = chain(source), "a part is not available");
    explain(Code::Unavailable, SERVICE_UNAVAILABLE, "", UNAVAILABLE_MESSAGE)
}

/// Whether an error comes from a value that cannot be stored.
fn is_refused_value(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<ValueRefused>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// A status of any code with its reason; `field` may be empty.
#[must_use]
pub fn explain(code: Code, reason: &str, field: &str, message: &str) -> Status {
    let code = grpc_code(code);
    let detail = ErrorDetail {
        reason: reason.to_owned(),
        field: field.to_owned(),
        reference_id: String::new(),
    };
    let any = Any { type_url: DETAIL_URL.to_owned(), value: detail.encode_to_vec() };
    let status = RpcStatus { code: code.into(), message: message.to_owned(), details: vec![any] };
    Status::with_details(code, message, status.encode_to_vec().into())
}

/// The detail that a status carries, if it does: for callers that act on the reason.
#[must_use]
pub fn detail_of(status: &Status) -> Option<ErrorDetail> {
    let status = RpcStatus::decode(status.details()).ok()?;
    let any = status.details.into_iter().find(|any| any.type_url == DETAIL_URL)?;
    ErrorDetail::decode(any.value.as_slice()).ok()
}

/// An error and what caused it, in one line for the log.
#[must_use]
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        // Writing to a string cannot fail.
        write!(text, ": {source}").ok();
        next = source.source();
    }
    text
}

fn grpc_code(code: Code) -> tonic::Code {
    match code {
        Code::InvalidArgument => tonic::Code::InvalidArgument,
        Code::FailedPrecondition => tonic::Code::FailedPrecondition,
        Code::NotFound => tonic::Code::NotFound,
        Code::PermissionDenied => tonic::Code::PermissionDenied,
        Code::Unauthenticated => tonic::Code::Unauthenticated,
        Code::Aborted => tonic::Code::Aborted,
        Code::AlreadyExists => tonic::Code::AlreadyExists,
        Code::ResourceExhausted => tonic::Code::ResourceExhausted,
        Code::Unavailable => tonic::Code::Unavailable,
    }
}

#[cfg(test)]
mod tests {
    use super::{detail_of, invalid, reject, to_status};
    use contract::common::v1::ErrorDetail;
    use kernel::CommandError;
    use prost::Name as _;

    kernel::rejections! {
        enum Rejection {
            SlotTaken: Aborted "SLOT_TAKEN", "This time was just taken.";
            InvalidEmail: InvalidArgument "INVALID_EMAIL" @ "contact.email",
                "Please enter a valid e-mail address.";
        }
    }

    #[test]
    fn a_value_that_cannot_be_stored_is_no_outage() {
        #[derive(Debug, thiserror::Error)]
        #[error("the store did not do it")]
        struct Store(#[source] kernel::ValueRefused);
        let error = CommandError::<Rejection>::unavailable(Store(kernel::ValueRefused));
        let status = to_status(&error);
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        assert_eq!(detail_of(&status).unwrap().reason, super::VALUE_REFUSED);
    }

    #[test]
    fn reason_and_field_go_there_and_back() {
        let status = reject(&Rejection::InvalidEmail);
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        assert_eq!(status.message(), "Please enter a valid e-mail address.");
        // Through the headers, as a client sees it.
        let answer = status.into_http::<tonic::body::Body>();
        let seen = tonic::Status::from_header_map(answer.headers()).unwrap();
        let detail = detail_of(&seen).unwrap();
        assert_eq!(
            (detail.reason.as_str(), detail.field.as_str()),
            ("INVALID_EMAIL", "contact.email")
        );
        let taken = detail_of(&to_status(&CommandError::Rejected(Rejection::SlotTaken))).unwrap();
        assert_eq!((taken.reason.as_str(), taken.field.as_str()), ("SLOT_TAKEN", ""));
    }

    #[test]
    fn the_text_of_a_source_never_leaves() {
        let error = CommandError::<Rejection>::unavailable("password of 10.0.0.7 was refused");
        let status = to_status(&error);
        assert_eq!(status.code(), tonic::Code::Unavailable);
        assert_eq!(detail_of(&status).unwrap().reason, "SERVICE_UNAVAILABLE");
        let all = format!("{status:?}{}", String::from_utf8_lossy(status.details()));
        assert!(!all.contains("10.0.0.7"));
    }

    #[test]
    fn the_detail_names_its_type() {
        let status = invalid("date", "INVALID_DATE", "Please choose a date.");
        let text = String::from_utf8_lossy(status.details()).into_owned();
        assert!(text.contains(super::DETAIL_URL), "{text}");
        let name = ErrorDetail::full_name();
        assert_eq!(super::DETAIL_URL, format!("type.googleapis.com/{name}"));
        assert_eq!(detail_of(&tonic::Status::internal("x")), None);
    }
}
