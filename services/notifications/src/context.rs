//! Facts as the templates' variables: times and amounts as text, in the practice's zone, and every
//! text that people typed without what could break a line or a header.

use contract::convert;
use contract::identity::v1::GetCodeMailResponse;
use kernel::id::Booking;
use kernel::{Currency, Id, Money, Timestamp};
use runtime::practice::Practice;
use serde_json::{Value, json};

use crate::facts::{BookingFacts, Facts};

/// What is the same in every mail.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The practice's file.
    pub practice: Practice,
    /// Where people reach the website, without a slash at its end.
    pub public_url: String,
}

/// An event's amount or a booking's facts do not make a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the facts do not make a mail: {0}")]
pub struct Incomplete(&'static str);

impl Scene {
    /// The variables of a mail; `payload` is what its event said.
    ///
    /// # Errors
    /// When an amount is missing.
    pub fn variables(&self, facts: &Facts, payload: &Value) -> Result<Value, Incomplete> {
        match facts {
            Facts::Code(code) => Ok(self.of_code(code)),
            Facts::Booking(facts) => self.of_booking(facts, payload),
        }
    }

    fn of_code(&self, code: &GetCodeMailResponse) -> Value {
        json!({
            "practice": self.practice(),
            "customer": {
                "first_name": one_line(&code.first_name),
                "email": one_line(&code.email),
            },
            "code": {
                "code": one_line(&code.code),
                "valid_minutes": code.valid_minutes,
                "link": web_link(&code.link),
            },
        })
    }

    fn of_booking(&self, facts: &BookingFacts, payload: &Value) -> Result<Value, Incomplete> {
        let booking = &facts.booking;
        let price = booking.price.as_ref().and_then(convert::money).ok_or(Incomplete("price"))?;
        let (contact, id) = (&facts.contact, &booking.booking_id);
        let mut variables = json!({
            "practice": self.practice(),
            "booking": {
                "reference": reference(id),
                "service_title": one_line(&booking.service_title),
                "practitioner_name": one_line(&booking.practitioner_name),
                "price_text": price.to_string(),
                "starts_at_text": self.day_and_time(facts.starts_at),
                "ends_at_text": self.time(facts.ends_at),
                "duration_minutes": facts.ends_at.seconds_since(facts.starts_at) / 60,
                "mode": if facts.is_in_person() { "in_person" } else { "online" },
                "join_url": web_link(&booking.join_url),
                "location": one_line(&booking.location),
                "on_claim": payload.get("on_claim").and_then(Value::as_bool).unwrap_or(false),
            },
            "customer": {
                "first_name": one_line(&contact.first_name),
                "last_name": one_line(&contact.last_name),
                "email": one_line(&contact.email),
                "phone": one_line(&contact.phone),
                "notes": many_lines(&contact.notes),
            },
            "links": self.links(id, &booking.service_id),
            "has_calendar_file": !facts.calendar_file.is_empty(),
        });
        let more = [
            ("refund", self.refund(payload)?),
            ("cancellation", self.cancellation(facts, payload)?),
        ];
        if let Some(all) = variables.as_object_mut() {
            for (name, value) in more {
                all.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        Ok(variables)
    }

    fn practice(&self) -> Value {
        let Practice { practice, location, policies, brand, .. } = &self.practice;
        let dark = &brand.dark;
        json!({
            "name": practice.name,
            "phone": practice.phone,
            "email": practice.email,
            "address": practice.address,
            "crisis_note": practice.crisis_note,
            "directions": location.directions,
            "cancellation_hours": policies.cancellation_hours,
            "join_early_minutes": policies.join_early_minutes,
            "brand": {
                "primary": brand.primary, "on_primary": brand.on_primary,
                "background": brand.background, "surface": brand.surface,
                "ink": brand.ink, "ink_soft": brand.ink_soft,
                "line": brand.line, "soft": brand.soft,
                "dark": {
                    "primary": dark.primary, "on_primary": dark.on_primary,
                    "background": dark.background, "surface": dark.surface,
                    "ink": dark.ink, "ink_soft": dark.ink_soft,
                    "line": dark.line, "soft": dark.soft,
                },
            },
        })
    }

    fn links(&self, booking_id: &str, service_id: &str) -> Value {
        let flow = format!("{}/booking-flow", self.public_url);
        json!({
            "booking_url": format!("{flow}?step=confirmed&b={}", in_query(booking_id)),
            "rebook_url": format!("{flow}?service={}", in_query(service_id)),
            "directions": web_link(&self.practice.location.map_url),
        })
    }

    /// The refund that the event spoke of, if it spoke of one.
    fn refund(&self, payload: &Value) -> Result<Option<Value>, Incomplete> {
        let Some(cause) = payload.get("cause").and_then(Value::as_str) else { return Ok(None) };
        Ok(Some(json!({
            "cause": cause,
            "amount_text": amount(payload)?.to_string(),
            "days_text": self.practice.policies.refund_days_text,
        })))
    }

    /// The cancellation that the event spoke of, if it spoke of one.
    fn cancellation(
        &self,
        facts: &BookingFacts,
        payload: &Value,
    ) -> Result<Option<Value>, Incomplete> {
        let Some(by) = payload.get("cancelled_by").and_then(Value::as_str) else {
            return Ok(None);
        };
        let refund = amount(payload)?;
        let at = payload.get("cancelled_at").and_then(Value::as_str);
        let at: Timestamp = at.and_then(|at| at.parse().ok()).ok_or(Incomplete("cancellation"))?;
        let hours = i64::from(self.practice.policies.cancellation_hours);
        Ok(Some(json!({
            "by": by,
            "was_late": facts.starts_at.seconds_since(at) < hours * 3600,
            "refund_text": if refund.minor > 0 { refund.to_string() } else { String::new() },
            "unpaid": payload.get("unpaid").and_then(Value::as_bool).unwrap_or(false),
            "days_text": self.practice.policies.refund_days_text,
        })))
    }

    /// "Tuesday 24 November 2026, 11:00 am IST".
    fn day_and_time(&self, at: Timestamp) -> String {
        let day = at.in_zone(&self.practice.practice.zone).strftime("%A %-d %B %Y").to_string();
        format!("{day}, {}", self.time(at))
    }

    /// "11:45 am IST".
    fn time(&self, at: Timestamp) -> String {
        let practice = &self.practice.practice;
        let time = at.in_zone(&practice.zone).strftime("%-I:%M %P").to_string();
        format!("{time} {}", practice.zone_label)
    }
}

/// The amount that an event spoke of.
fn amount(payload: &Value) -> Result<Money, Incomplete> {
    let minor = payload.get("amount_minor").and_then(Value::as_i64);
    let currency = payload.get("currency").and_then(Value::as_str);
    match (minor, currency.and_then(Currency::from_code)) {
        (Some(minor), Some(currency)) => Ok(Money { minor, currency }),
        _ => Err(Incomplete("amount")),
    }
}

/// What a person can read out: the end of the booking's id, in capitals. Its begin is a time and
/// much the same for all bookings of a day.
fn reference(booking_id: &str) -> String {
    let known = booking_id.parse::<Id<Booking>>().is_ok();
    let digits = booking_id.len().checked_sub(8).filter(|_| known);
    digits.and_then(|from| booking_id.get(from..)).unwrap_or(booking_id).to_uppercase()
}

/// A text on one line: whatever else would break it, a header or the mark-up becomes a space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that may have several lines.
fn many_lines(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    unix.chars().map(|c| if c == '\n' || is_plain(c) { c } else { ' ' }).collect()
}

/// Neither a control character nor one that turns the direction of what follows, with which a name
/// can make an address look like another one.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// A link that a browser opens, or nothing.
fn web_link(text: &str) -> String {
    let text = one_line(text);
    let web = text.starts_with("https://") || text.starts_with("http://");
    if web && !text.contains(' ') { text } else { String::new() }
}

fn in_query(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::{many_lines, one_line, reference, web_link};

    #[test]
    fn what_people_typed_stays_on_its_line() {
        assert_eq!(one_line("Asha\r\nBcc: x@example.org\0\u{202e}"), "Asha Bcc: x@example.org");
        assert_eq!(many_lines("one\r\ntwo\rthree\u{7}"), "one\ntwo\nthree ");
    }

    #[test]
    fn only_what_a_browser_opens_is_a_link() {
        assert_eq!(web_link("https://meet.example/a?b=1"), "https://meet.example/a?b=1");
        for wrong in ["javascript:alert(1)", "meet.example", "https://a b", ""] {
            assert_eq!(web_link(wrong), "", "{wrong}");
        }
    }

    #[test]
    fn a_reference_can_be_read_out() {
        assert_eq!(reference("bkg_019340000000700080000000000a2b3c"), "000A2B3C");
    }
}
