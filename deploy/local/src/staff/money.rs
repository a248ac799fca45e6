//! Amounts in the form that people write and read. No floating point is used.
use super::arguments::Usage;
use serde_json::{Value, json};

const CURRENCY: &str = "INR";
/// A limit far above any amount of a practice, which keeps the arithmetic in range.
const RUPEES_MAX: i64 = 100_000_000;

/// Parses "500", "499.5" or "₹1,499.50" as paise.
pub(super) fn parse(text: &str) -> Result<i64, Usage> {
    let wrong = || Usage(format!("{text} is no amount such as 500 or 499.50"));
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
pub(super) fn wire(minor: i64) -> Value {
    json!({ "minorUnits": minor.to_string(), "currencyCode": CURRENCY })
}

/// The minor units of an amount from a service.
pub(super) fn minor(amount: &Value) -> i64 {
    let units = &amount["minorUnits"];
    units.as_str().and_then(|text| text.parse().ok()).or(units.as_i64()).unwrap_or_default()
}

/// An amount from a service as text.
pub(super) fn shown(amount: &Value) -> String {
    let minor = minor(amount);
    let sign = if minor < 0 { "-" } else { "" };
    let (rupees, paise) = (minor.unsigned_abs() / 100, minor.unsigned_abs() % 100);
    let unit = match amount["currencyCode"].as_str() {
        None | Some("" | CURRENCY) => "₹".to_owned(),
        Some(other) => format!("{other} "),
    };
    let part = if paise == 0 { String::new() } else { format!(".{paise:02}") };
    format!("{sign}{unit}{}{part}", grouped(rupees))
}

/// Groups digits in the Indian way: the last three, then pairs.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && (left == 3 || (left > 3 && left % 2 == 1)) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
        for (minor, text) in
            [(150_000, "₹1,500"), (-5, "-₹0.05"), (1_234_567_890, "₹1,23,45,678.90"), (0, "₹0")]
        {
            assert_eq!(shown(&wire(minor)), text);
        }
        assert_eq!(shown(&json!({ "minorUnits": "250", "currencyCode": "USD" })), "USD 2.50");
        assert_eq!(minor(&Value::Null), 0);
    }
}
