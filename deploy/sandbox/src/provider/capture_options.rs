//! The options that decide which payments of an order are captured automatically. The documentation
//! makes `automatic_expiry_period` mandatory for automatic capture, so an order without it is
//! refused.

use serde_json::Value;

use crate::provider::errors::ApiError;
use crate::provider::requests::reject_unknown_fields;

/// The shortest period for automatic capture.
const MINUTES_MIN: i64 = 12;
/// The longest one is five days: then an uncaptured payment is refunded.
const MINUTES_MAX: i64 = 7_200;

/// How the payments of an order are captured.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CaptureOptions {
    /// Payments are captured by the capture call only.
    pub(crate) manual: bool,
    /// A payment that is authorised more than this long after its creation is not captured
    /// automatically.
    pub(crate) within_minutes: Option<i64>,
}

/// Reads an order's `payment` field. Without it the account's setting applies, which captures
/// automatically.
pub(crate) fn read(payment: Option<&Value>) -> Result<CaptureOptions, ApiError> {
    let Some(payment) = payment else { return Ok(CaptureOptions::default()) };
    reject_unknown_fields(payment, &["capture", "capture_options"])?;
    let manual = match payment.get("capture").and_then(Value::as_str) {
        Some("automatic") => false,
        Some("manual") => true,
        _ => return Err(refused("capture", "The capture field must be automatic or manual.")),
    };
    let options = payment.get("capture_options").unwrap_or(&Value::Null);
    reject_unknown_fields(
        options,
        &["automatic_expiry_period", "manual_expiry_period", "refund_speed"],
    )?;
    let automatic = minutes(options, "automatic_expiry_period")?;
    let by_hand = minutes(options, "manual_expiry_period")?;
    if automatic.is_none() && !manual {
        let description =
            "The automatic expiry period field is required when capture is automatic.";
        return Err(refused("automatic_expiry_period", description));
    }
    if automatic.zip(by_hand).is_some_and(|(automatic, by_hand)| by_hand < automatic) {
        let description = "The manual expiry period must not be less than the automatic one.";
        return Err(refused("manual_expiry_period", description));
    }
    match options.get("refund_speed").map(Value::as_str) {
        None | Some(Some("normal" | "optimum")) => {}
        Some(_) => return Err(refused("refund_speed", "The refund speed is invalid.")),
    }
    Ok(CaptureOptions { manual, within_minutes: automatic })
}

fn minutes(options: &Value, name: &'static str) -> Result<Option<i64>, ApiError> {
    let Some(given) = options.get(name) else { return Ok(None) };
    match given.as_i64() {
        Some(minutes) if (MINUTES_MIN..=MINUTES_MAX).contains(&minutes) => Ok(Some(minutes)),
        _ => Err(refused(name, "The expiry period must be between 12 and 7200 minutes.")),
    }
}

fn refused(field: &'static str, description: &'static str) -> ApiError {
    ApiError::bad_field(field, description)
}
