//! Conversion of errors with and without a detail.

use super::{default_error, detail_of, from_upstream, gateway_error, to_public_error};
use connectrpc::{ConnectError, ErrorCode, ErrorDetail};

#[test]
fn a_services_error_keeps_its_text_and_gets_a_reference_id() {
    let mut error =
        gateway_error(ErrorCode::FailedPrecondition, "SLOT_TAKEN", "It was just taken.");
    for detail in &mut error.details {
        detail.type_url = format!("type.googleapis.com/{}", detail.type_url);
    }
    error.trailers_mut().insert("x-internal", "secret".parse().unwrap());

    let public = to_public_error(&from_upstream(error), "abc");

    assert_eq!(public.code, ErrorCode::FailedPrecondition);
    assert_eq!(public.message.as_deref(), Some("It was just taken."));
    assert_eq!(public.details.len(), 1);
    assert_eq!(public.details[0].type_url, "common.v1.ErrorDetail");
    let detail = detail_of(&public).unwrap();
    assert_eq!((detail.reason.as_str(), detail.reference_id.as_str()), ("SLOT_TAKEN", "abc"));
    assert!(public.trailers().is_empty());
}

#[test]
fn transport_text_is_replaced() {
    for code in [ErrorCode::Unavailable, ErrorCode::Unknown, ErrorCode::Internal] {
        let error = ConnectError::new(code, "tcp connect error: 10.0.0.7:5000");
        let public = to_public_error(&from_upstream(error), "abc");
        assert_eq!(public.code, ErrorCode::Unavailable);
        let sentence = "This part is not available right now. Please try again.";
        assert_eq!(public.message.as_deref(), Some(sentence));
        assert_eq!(detail_of(&public).unwrap().reason, "SERVICE_UNAVAILABLE");
    }
}

#[test]
fn foreign_details_are_dropped() {
    let mut error = ConnectError::new(ErrorCode::NotFound, "no row in table bookings");
    error.details.push(ErrorDetail {
        type_url: "google.rpc.DebugInfo".to_owned(),
        value: Some("Zm9v".to_owned()),
        debug: None,
    });
    let public = to_public_error(&error, "abc");
    assert_eq!(public.message.as_deref(), Some("This does not exist."));
    assert_eq!(public.details.len(), 1);
    assert_eq!(detail_of(&public).unwrap().reason, "NOT_FOUND");
}

#[test]
fn errors_without_a_detail_get_these_texts() {
    let codes = [
        ErrorCode::Canceled,
        ErrorCode::Unknown,
        ErrorCode::InvalidArgument,
        ErrorCode::DeadlineExceeded,
        ErrorCode::NotFound,
        ErrorCode::AlreadyExists,
        ErrorCode::PermissionDenied,
        ErrorCode::ResourceExhausted,
        ErrorCode::FailedPrecondition,
        ErrorCode::Aborted,
        ErrorCode::OutOfRange,
        ErrorCode::Unimplemented,
        ErrorCode::Internal,
        ErrorCode::Unavailable,
        ErrorCode::DataLoss,
        ErrorCode::Unauthenticated,
    ];
    let line = |code: ErrorCode| {
        let (shown, reason, sentence) = default_error(code);
        format!("{}: {} {reason} {sentence}", code.as_str(), shown.as_str())
    };
    insta::assert_snapshot!("without_detail", codes.map(line).join("\n"));
}
