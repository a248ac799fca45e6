//! Amounts in the form that people write and read. No floating point is used.
use kernel::{Currency, Money};
use serde_json::{Value, json};

/// A limit far above any amount of a practice, which keeps the arithmetic in range.
const RUPEES_MAX: i64 = 100_000_000;

/// Parses "500", "499.5" or "₹1,499.50" as paise.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    let wrong = || "it is no amount such as 500 or 499.50".to_owned();
    let plain = text.trim().trim_start_matches('₹').replace(',', "");
    let (rupees, paise) = plain.split_once('.').unwrap_or((&plain, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(rupees) || !digits(paise) || paise.len() > 2 {
        return Err(wrong());
    }
    let rupees: i64 = rupees.parse().ok().filter(|r| *r <= RUPEES_MAX).ok_or_else(wrong)?;
    let scale = if paise.len() == 1 { 10 } else { 1 };
    let paise: i64 = paise.parse::<i64>().map_err(|_no_number| wrong())? * scale;
    let minor = rupees * 100 + paise;
    if minor == 0 { Err(wrong()) } else { Ok(minor) }
}

/// An amount in the JSON form of the services.
pub(crate) fn wire(minor: i64) -> Value {
    json!({ "minorUnits": minor.to_string(), "currencyCode": Currency::Inr.code() })
}

/// The minor units of an amount from a service.
pub(crate) fn minor(amount: &Value) -> i64 {
    let units = &amount["minorUnits"];
    units.as_str().and_then(|text| text.parse().ok()).or(units.as_i64()).unwrap_or_default()
}

/// An amount from a service as text.
pub(crate) fn shown(amount: &Value) -> String {
    let shown = Money::inr(minor(amount)).to_string();
    match amount["currencyCode"].as_str().unwrap_or_default() {
        other if !other.is_empty() && Currency::from_code(other).is_none() => {
            shown.replace('₹', &format!("{other} "))
        }
        _ours => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, paise) in [
            ("500", 50_000),
            ("499.50", 49_950),
            ("499.5", 49_950),
            ("0.05", 5),
            ("₹1,499", 149_900),
            ("100000000", 10_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(paise), "{text}");
        }
        for wrong in
            ["", "0", "0.00", "-5", "4.999", ".5", "5.", "five", "1e3", "1.2.3", "100000001"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn amounts_are_shown_as_in_mails() {
        assert_eq!(shown(&wire(1_234_567_890)), "₹1,23,45,678.90");
        assert_eq!(shown(&json!({ "minorUnits": "-250", "currencyCode": "USD" })), "-USD 2.50");
        assert_eq!((minor(&Value::Null), shown(&Value::Null).as_str()), (0, "₹0"));
    }
}
