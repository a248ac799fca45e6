//! A refused call, as a sentence for staff.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use contract::common::v1::ErrorDetail;
use prost::Message as _;
use serde_json::Value;
use std::fmt;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    status: u16,
    reason: String,
    sentence: String,
    reference: String,
}

impl Refusal {
    /// The call got no answer.
    pub(crate) fn no_answer() -> Self {
        Self {
            status: 503,
            reason: "SERVICE_UNAVAILABLE".to_owned(),
            sentence: String::new(),
            reference: String::new(),
        }
    }

    /// Reads an error from its JSON form.
    pub(crate) fn read(status: u16, body: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let details = body["details"].as_array().into_iter().flatten();
        let detail = details
            .filter(|detail| detail["type"] == "common.v1.ErrorDetail")
            .find_map(|detail| STANDARD_NO_PAD.decode(detail["value"].as_str()?).ok())
            .and_then(|bytes| ErrorDetail::decode(bytes.as_slice()).ok());
        let ErrorDetail { reason, reference_id: reference, .. } = detail.unwrap_or_default();
        Self { status, reason, sentence: text(&body["message"]), reference }
    }

    /// Whether the same call may succeed a moment later. A call whose deadline was exceeded is not
    /// repeated, because it would take as long again.
    pub(crate) fn is_retryable(&self) -> bool {
        self.status >= 500 && self.status != 504
    }

    /// Whether the call is for sessions whose second factor was shown a moment ago.
    pub(crate) fn needs_newer_second_step(&self) -> bool {
        self.reason == "SECOND_FACTOR_TOO_OLD"
    }

    /// The same with why nothing could be done about it.
    pub(crate) fn because(self, error: &anyhow::Error) -> Self {
        Self { reason: String::new(), sentence: error.to_string(), ..self }
    }

    /// Whether the service did not answer.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.status >= 500
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match sentence(&self.reason) {
            Some(sentence) => f.write_str(sentence)?,
            None if self.sentence.is_empty() => f.write_str("the call was refused")?,
            None => f.write_str(self.sentence.trim_end_matches('.'))?,
        }
        match (&*self.reason, &*self.reference) {
            ("", "") => Ok(()),
            (reason, "") => write!(f, " ({reason})"),
            (reason, reference) => write!(f, " ({reason}, reference {reference})"),
        }
    }
}

/// The sentence for a reason. Without one, the service's own message is shown.
fn sentence(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "STAFF_ONLY" => "this account is not a member of the practice's staff",
        "ROLE_NOT_ALLOWED" => "your role does not allow this; an owner or admin can do it",
        "SECOND_FACTOR_REQUIRED" => {
            "this account needs its second step: set SUKOON_CODE to the code that its \
             authenticator app shows; without an app, set one up on the account page"
        }
        "SECOND_FACTOR_TOO_OLD" => {
            "this needs the second step once more: set SUKOON_CODE to the code that the \
             account's authenticator app shows now"
        }
        "TOKEN_MISSING" | "TOKEN_INVALID" => "the sign-in was not accepted; try again",
        "SLOT_TAKEN" => {
            "something is held, booked or closed in that time; `sukoon today DATE` shows it"
        }
        "SLOT_PAST" => "that session is over",
        "BLOCK_NOT_FOUND" => "there is no closed time with this id; `sukoon today DATE` shows them",
        "BOOKING_NOT_FOUND" => "there is no booking with this id",
        "NOT_CANCELLABLE" => "only a confirmed booking whose session is not over can be cancelled",
        "NOT_MOVABLE" => "only a session of a confirmed booking that has not ended can be moved",
        "CHANGED_SINCE" => "that session is at another time by now; `sukoon history` shows it",
        "OUT_OF_ORDER" => "a session of a package stays between the ones before and after it",
        "SLOT_NOT_OFFERED" => "the timetable has no such time",
        "OVERLAPS_OWN_SESSION" => "this client has another session at that time",
        "NOT_MARKABLE" => {
            "a session is marked from its start until 14 days after its end, if it takes place"
        }
        "NOT_CLAIMED" => "the customer has not said that this booking is paid, or it is settled",
        "NOT_BY_PHONE" => "that booking was not made by phone; its client pays when signed in",
        "HOLD_ENDED" => "its time is not held any more; book it again",
        "NOTHING_TO_REFUND" => {
            "nothing is left to give back for this booking; what waits for the end of a dispute is \
             let go with --release"
        }
        "INVALID_AMOUNT" => "that is more than is left to give back, or not an amount",
        "IDEMPOTENCY_KEY_REUSED" => {
            "that key belongs to other words than these; say the same again, or leave --key away"
        }
        "INVALID_DATE" => "that is not a date that the practice knows, such as 2026-11-24",
        "INVALID_TIME" => "those are not times of a day, such as 14:00 16:30, the earlier first",
        "RANGE_TOO_LONG" => "ask for at most 92 days at a time",
        "MAIL_UNKNOWN" => "there is no mail with this id; `sukoon mails` shows them",
        "MAIL_IS_OVER" => "that mail was sent, dropped or settled already; it is not tried again",
        "MAIL_NOT_FAILED" => "only a mail that has failed can be settled",
        "INVALID_CONSENT_FILE" => "that is not a consent file of this practice",
        "INVALID_BOOKING_ID" => "that is no booking's id",
        "SERVICE_UNAVAILABLE" | "DEADLINE_EXCEEDED" => {
            "that part of the practice does not answer right now"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(reason: &str, message: &str) -> Value {
        let (reason, reference_id) = (reason.to_owned(), "abcd".to_owned());
        let detail = ErrorDetail { reason, reference_id, ..ErrorDetail::default() };
        let value = STANDARD_NO_PAD.encode(detail.encode_to_vec());
        json!({
            "code": "aborted", "message": message,
            "details": [{ "type": "common.v1.ErrorDetail", "value": value }],
        })
    }

    #[test]
    fn a_known_reason_has_a_sentence_for_staff() {
        let refusal = Refusal::read(403, &body("STAFF_ONLY", "For staff."));
        assert!(!refusal.is_retryable());
        let said =
            "this account is not a member of the practice's staff (STAFF_ONLY, reference abcd)";
        assert_eq!(refusal.to_string(), said);
    }

    #[test]
    fn an_unknown_reason_shows_the_services_message() {
        let refusal = Refusal::read(400, &body("NEW_REASON", "Something new."));
        assert_eq!(refusal.to_string(), "Something new (NEW_REASON, reference abcd)");
        let bare = Refusal::read(404, &Value::Null);
        assert_eq!(bare.to_string(), "the call was refused");
        assert!(Refusal::no_answer().is_unavailable());
    }
}
