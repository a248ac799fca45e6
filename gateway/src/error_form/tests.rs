//! What the form does with errors that explain themselves and with those that do not.

use super::{detail_of, from_upstream, in_form, refusal};
use connectrpc::{ConnectError, ErrorCode, ErrorDetail};

#[test]
fn a_services_own_words_pass_with_a_reference() {
    let mut error = refusal(ErrorCode::FailedPrecondition, "SLOT_TAKEN", "It was just taken.");
    for detail in &mut error.details {
        detail.type_url = format!("type.googleapis.com/{}", detail.type_url);
    }
    error.trailers_mut().insert("x-internal", "secret".parse().unwrap());

    let formed = in_form(&from_upstream(error), "abc");

    assert_eq!(formed.code, ErrorCode::FailedPrecondition);
    assert_eq!(formed.message.as_deref(), Some("It was just taken."));
    assert_eq!(formed.details.len(), 1);
    assert_eq!(formed.details[0].type_url, "common.v1.ErrorDetail");
    let detail = detail_of(&formed).unwrap();
    assert_eq!((detail.reason.as_str(), detail.reference_id.as_str()), ("SLOT_TAKEN", "abc"));
    assert!(formed.trailers().is_empty());
}

#[test]
fn transport_text_is_replaced() {
    for code in [ErrorCode::Unavailable, ErrorCode::Unknown, ErrorCode::Internal] {
        let error = ConnectError::new(code, "tcp connect error: 10.0.0.7:5000");
        let formed = in_form(&from_upstream(error), "abc");
        assert_eq!(formed.code, ErrorCode::Unavailable);
        let sentence = "This part is not available right now. Please try again.";
        assert_eq!(formed.message.as_deref(), Some(sentence));
        assert_eq!(detail_of(&formed).unwrap().reason, "SERVICE_UNAVAILABLE");
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
    let formed = in_form(&error, "abc");
    assert_eq!(formed.message.as_deref(), Some("This does not exist."));
    assert_eq!(formed.details.len(), 1);
    assert_eq!(detail_of(&formed).unwrap().reason, "NOT_FOUND");
}
