//! The variables of a mail about a booking: the session, the client, and if there is one the
//! refund, the request for one, the cancellation, the move, the dispute, the receipt or the
//! invitation to review.

use contract::common::v1::{DeskWay, Money as WireMoney};
use contract::convert;
use contract::payments::v1::{Receipt, TaxMode};
use kernel::id::Booking;
use kernel::{Id, Money, Timestamp};
use serde_json::{Value, json};

use super::cancelling;
use super::sanitize::{one_line, query_encode, web_link};
use super::{Incomplete, TemplateContext, amount, day};
use crate::mails::facts::BookingFacts;
use crate::mails::kind::Kind;
use crate::mails::payload::{AT_DESK, BY_BANK, REFUND_FAILED, REFUNDED_BEFORE};

impl TemplateContext {
    pub(super) fn of_booking(
        &self,
        facts: &BookingFacts,
        payload: &Value,
        now: Timestamp,
    ) -> Result<Value, Incomplete> {
        let mut variables = json!({
            "booking": self.session(facts, payload, now)?,
            "customer": customer(facts),
            "links": self.links(facts),
            "has_calendar_file": !facts.calendar_file.is_empty(),
        });
        let until = facts.invitation.as_ref().map(|(_, until)| self.day_and_time(*until));
        let more = [
            ("refund", self.refund(payload)?),
            ("failure", failure(facts, payload)?),
            ("cancellation", self.cancellation(facts, payload)?),
            ("move", self.moved(payload)?),
            ("proposal", self.proposal(facts, payload)?),
            ("dispute", self.dispute(payload)?),
            ("request", facts.refund_request.as_ref().map(|it| self.asking(it)).transpose()?),
            ("receipt", facts.receipt.as_ref().map(|it| self.receipt(it)).transpose()?),
            ("invitation", until.map(|until| json!({ "valid_until_text": until }))),
        ];
        if let Some(all) = variables.as_object_mut() {
            for (name, value) in more {
                all.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
        Ok(variables)
    }

    fn session(
        &self,
        facts: &BookingFacts,
        payload: &Value,
        now: Timestamp,
    ) -> Result<Value, Incomplete> {
        let booking = &facts.booking;
        let price = booking.price.as_ref().and_then(convert::money).ok_or(Incomplete("price"))?;
        let notice_hours = cancelling::notice_hours(booking);
        let free_until = facts.starts_at.plus_minutes(-60 * notice_hours);
        let package = booking.package.as_ref();
        Ok(json!({
            "reference": reference(&booking.booking_id),
            "service_title": one_line(&booking.service_title),
            "practitioner_name": one_line(&booking.practitioner_name),
            "price_text": price.to_string(),
            "is_free": facts.is_free(),
            "starts_at_text": self.day_and_time(facts.starts_at),
            "starts_time_text": self.clock(facts.starts_at),
            "ends_at_text": self.time(facts.ends_at),
            "free_until_text": self.day_and_time(free_until),
            "free_to_cancel": now < free_until,
            "held_until_text": self.held_until(facts),
            "has_begun": now >= facts.starts_at,
            "package_title": package.map(|it| one_line(&it.title)).unwrap_or_default(),
            "session_number": facts.session_number,
            "session_count": booking.sessions.len(),
            "sessions": self.sessions(facts),
            "notice_hours": notice_hours,
            "later_steps": self.later_steps(facts, now),
            "later_tiers": cancelling::later_tiers(booking),
            "given_if_we_cancel": cancelling::given_at(booking, 0),
            "duration_minutes": facts.ends_at.seconds_since(facts.starts_at) / 60,
            "mode": if facts.is_in_person() { "in_person" } else { "online" },
            "location": one_line(&booking.location),
            "paid_at_desk": booking.paid_at_desk() != DeskWay::Unspecified,
            "on_claim": payload.get("on_claim").and_then(Value::as_bool).unwrap_or(false),
        }))
    }

    /// Names the room in the one mail that may have it: the second reminder of a practice that
    /// wants it there, so that our being away stops no session.
    pub(super) fn name_room(&self, kind: Kind, facts: &BookingFacts, variables: &mut Value) {
        let is_named =
            kind == Kind::SecondReminder && self.practice.mails.second_reminder_names_room;
        let room = if is_named { web_link(&facts.booking.join_url) } else { String::new() };
        if let Some(booking) = variables.get_mut("booking").and_then(Value::as_object_mut) {
            booking.insert("room_url".to_owned(), room.into());
        }
    }

    /// Until when the time is held; empty once it is not.
    fn held_until(&self, facts: &BookingFacts) -> String {
        let until = facts.booking.held_until_at.as_ref().and_then(convert::timestamp);
        until.map(|until| self.day_and_time(until)).unwrap_or_default()
    }

    /// The dates of a package, in a mail about all of it; else nothing.
    fn sessions(&self, facts: &BookingFacts) -> Vec<Value> {
        if facts.booking.package.is_none() || facts.session_number.is_some() {
            return Vec::new();
        }
        let sessions = facts.booking.sessions.iter().filter_map(|session| {
            let starts_at = session.starts_at.as_ref().and_then(convert::timestamp)?;
            Some(json!({
                "starts_at_text": self.day_and_time(starts_at),
                "cancelled": session.cancelled,
            }))
        });
        sessions.collect()
    }

    /// The page on which a booking by phone is paid; empty without its key.
    fn payment_page(&self, facts: &BookingFacts) -> String {
        match facts.page_key.as_str() {
            "" => String::new(),
            key => format!("{}/pay/booking#key={}", self.public_url, query_encode(key)),
        }
    }

    /// The page on which a booking is moved and cancelled: that of a booking by phone is the one on
    /// which it is paid.
    pub(super) fn booking_page(&self, facts: &BookingFacts) -> String {
        let site = &self.public_url;
        match (facts.session_key.as_str(), facts.page_key.as_str()) {
            ("", "") => {
                let booking_id = query_encode(&facts.booking.booking_id);
                format!("{site}/booking-flow?step=confirmed&b={booking_id}")
            }
            ("", _page) => self.payment_page(facts),
            (key, _) => format!("{site}/session#key={}", query_encode(key)),
        }
    }

    fn links(&self, facts: &BookingFacts) -> Value {
        let booking_id = query_encode(&facts.booking.booking_id);
        let service_id = query_encode(&facts.booking.service_id);
        let site = &self.public_url;
        // In the URL's fragment, so that the secret reaches no server and no log.
        let invited = |secret: &str| format!("{site}/reviews#invitation={}", query_encode(secret));
        let review = facts.invitation.as_ref().map(|(secret, _)| invited(secret));
        let session = format!("{site}/join/{booking_id}");
        let join = match facts.join_key.as_str() {
            "" => session.clone(),
            key => format!("{site}/join#key={}", query_encode(key)),
        };
        json!({
            "booking_url": self.booking_page(facts),
            "account_url": format!(
                "{site}/sign-up?return=%2Fbooking-flow%3Fstep%3Dconfirmed%26b%3D{booking_id}"
            ),
            "session_url": session,
            "own_url": format!("{site}/account/sessions/{booking_id}"),
            "join_url": join,
            "rebook_url": format!("{site}/booking-flow?service={service_id}"),
            "receipt_url": format!("{site}/receipt?b={booking_id}"),
            "review_url": review.unwrap_or_default(),
            "page_url": self.payment_page(facts),
            "services_url": format!("{site}/services"),
            "tasks_url": format!("{site}/desk/tasks"),
            "directions": web_link(&self.practice.location.map_url),
        })
    }

    /// The refund in the payload, if there is one.
    fn refund(&self, payload: &Value) -> Result<Option<Value>, Incomplete> {
        let Some(cause) = payload.get("cause").and_then(Value::as_str) else { return Ok(None) };
        Ok(Some(json!({
            "cause": cause,
            "amount_text": amount(payload)?.to_string(),
            "days_text": self.practice.policies.refund_days_text,
            "at_desk": payload.get(AT_DESK).and_then(Value::as_bool).unwrap_or(false),
        })))
    }

    /// The cancellation in the payload, if there is one.
    fn cancellation(
        &self,
        facts: &BookingFacts,
        payload: &Value,
    ) -> Result<Option<Value>, Incomplete> {
        let Some(by) = payload.get("cancelled_by").and_then(Value::as_str) else {
            return Ok(None);
        };
        let promised = amount(payload)?;
        let refund = goes_back(facts, payload, promised);
        let at = payload.get("cancelled_at").and_then(Value::as_str);
        let at: Timestamp = at.and_then(|at| at.parse().ok()).ok_or(Incomplete("cancellation"))?;
        let notice = facts.starts_at.seconds_since(at);
        Ok(Some(json!({
            "by": by,
            "was_late": notice < cancelling::notice_hours(&facts.booking) * 3600,
            "is_part": cancelling::is_part(facts, promised.minor),
            "also_given": if by == "practice" {
                cancelling::given_at(&facts.booking, notice)
            } else {
                String::new()
            },
            "refund_text": if refund.minor > 0 { refund.to_string() } else { String::new() },
            "unpaid": payload.get("unpaid").and_then(Value::as_bool).unwrap_or(false),
            "nothing_left": promised.minor > 0 && refund.minor == 0,
            "days_text": self.practice.policies.refund_days_text,
        })))
    }

    /// The dispute in the payload, if there is one.
    fn dispute(&self, payload: &Value) -> Result<Option<Value>, Incomplete> {
        let word = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let state = word("dispute_state");
        if state.is_empty() {
            return Ok(None);
        }
        let respond_by = word("respond_by").parse().ok();
        Ok(Some(json!({
            "id": one_line(word("dispute_id")),
            "payment_id": one_line(word("payment_id")),
            "state": state,
            "is_over": matches!(state, "won" | "lost" | "closed"),
            "phase_text": one_line(&word("phase").replace('_', " ")),
            "amount_text": amount(payload)?.to_string(),
            "respond_by_text": respond_by.map(|at| self.day_and_time(at)).unwrap_or_default(),
        })))
    }

    fn receipt(&self, receipt: &Receipt) -> Result<Value, Incomplete> {
        let issued_at = receipt.issued_at.as_ref().and_then(convert::timestamp);
        let issued_at = issued_at.ok_or(Incomplete("receipt"))?;
        let issued_on = issued_at.in_zone(&self.practice.practice.zone).date();
        let refunded = receipt.refunded.as_ref().filter(|money| money.minor_units > 0);
        let has_tax = receipt.tax_mode() == TaxMode::Gst;
        let tax = |money: &Option<WireMoney>| {
            if has_tax { with_decimals(money.as_ref()) } else { Ok(String::new()) }
        };
        let (kind, title) = document_title(&receipt.kind);
        let refers_to_at = receipt.refers_to_issued_at.as_ref().and_then(convert::timestamp);
        let refers_to_on =
            refers_to_at.map(|at| day(at.in_zone(&self.practice.practice.zone).date()));
        let payer = receipt.payer.as_ref();
        let has_integrated =
            receipt.integrated_tax.as_ref().is_some_and(|money| money.minor_units > 0);
        Ok(json!({
            "kind": kind,
            "title": title,
            "refers_to": one_line(&receipt.refers_to_serial),
            "refers_to_on_text": refers_to_on.unwrap_or_default(),
            "payer_name": payer.map(|it| one_line(&it.name)).unwrap_or_default(),
            "payer_gstin": payer.map(|it| one_line(&it.gstin)).unwrap_or_default(),
            "payer_address": payer.map(|it| one_line(&it.address)).unwrap_or_default(),
            "integrated_tax_text": if has_integrated {
                with_decimals(receipt.integrated_tax.as_ref())?
            } else {
                String::new()
            },
            "serial": one_line(&receipt.serial),
            "issued_on_text": day(issued_on),
            "issued_by": one_line(&receipt.issued_by),
            "issuer_address": one_line(&receipt.issuer_address),
            "gstin": one_line(&receipt.gstin),
            "service_code": one_line(&receipt.service_code),
            "payment_id": one_line(&receipt.payment_id),
            "desk_text": desk_text(&receipt.payment_id),
            "amount_text": with_decimals(receipt.amount.as_ref())?,
            "tax": if has_tax { "gst" } else { "none" },
            "gst_percent": receipt.gst_percent,
            "half_percent_text": half_rate(receipt.gst_percent),
            "taxable_text": tax(&receipt.taxable)?,
            "central_tax_text": tax(&receipt.central_tax)?,
            "state_tax_text": tax(&receipt.state_tax)?,
            "refunded_text":
                refunded.map(|it| with_decimals(Some(it))).transpose()?.unwrap_or_default(),
        }))
    }
}

/// How a payment was made at the practice's desk; empty for one of the provider.
fn desk_text(payment_id: &str) -> &'static str {
    match contract::desk::wire_way_of(payment_id) {
        DeskWay::Cash => "In cash at the practice",
        DeskWay::Upi => "By UPI at the practice",
        DeskWay::Unspecified => "",
    }
}

/// The refund that failed for good, if the payload is about one: what is owed, or what the payer's
/// bank gave.
fn failure(facts: &BookingFacts, payload: &Value) -> Result<Option<Value>, Incomplete> {
    let Some(word) = payload.get(REFUND_FAILED).and_then(Value::as_str) else { return Ok(None) };
    let is_by_bank = word == BY_BANK;
    let booking = &facts.booking;
    let money = if is_by_bank { &booking.given_by_bank } else { &booking.refund_owed };
    let money = money.as_ref().and_then(convert::money).ok_or(Incomplete("failure"))?;
    Ok(Some(json!({ "by_bank": is_by_bank, "amount_text": money.to_string() })))
}

/// What really goes back of what a cancellation promised, which is a part of the price: an offer of
/// the provider's may have made the payment less, and some of it may have gone back before.
fn goes_back(facts: &BookingFacts, payload: &Value, promised: Money) -> Money {
    let booking = &facts.booking;
    let minor = |money: &Option<WireMoney>| money.as_ref().map_or(0, |money| money.minor_units);
    let price = minor(&booking.price);
    let brought = booking.paid.as_ref().map_or(price, |paid| paid.minor_units);
    let of_price = |part: i64| match i128::from(price) {
        0 => part,
        whole => i64::try_from(i128::from(part) * i128::from(brought) / whole).unwrap_or(part),
    };
    let given = minor(&booking.refunded_otherwise).saturating_add(minor(&booking.given_by_bank));
    let left = brought.saturating_sub(given).max(0);
    let before = of_price(payload.get(REFUNDED_BEFORE).and_then(Value::as_i64).unwrap_or(0));
    let promise = of_price(promised.minor);
    // The promise for all of a package includes what its sessions were promised before.
    let minor = match facts.session_number {
        None => promise.min(left).saturating_sub(before),
        Some(_) => promise.min(left.saturating_sub(before)),
    };
    Money { minor: minor.max(0), ..promised }
}

fn customer(facts: &BookingFacts) -> Value {
    let contact = &facts.contact;
    json!({
        "first_name": one_line(&contact.first_name),
        "last_name": one_line(&contact.last_name),
        "email": one_line(&contact.email),
        "phone": one_line(&contact.phone),
        // What a client wrote stays where roles are asked; a template of before may name it.
        "notes": "",
    })
}

/// The text group of a tax document, and its title.
fn document_title(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "receipt_voucher" => ("money", "Receipt voucher"),
        "tax_invoice" => ("supply", "Tax invoice"),
        "bill_of_supply" => ("supply", "Bill of supply"),
        "refund_voucher" => ("refund", "Refund voucher"),
        "credit_note" => ("refund", "Credit note"),
        _ => ("money", "Receipt"),
    }
}

/// An amount with decimals even if they are zero, because amounts are aligned: "₹1,500.00".
fn with_decimals(money: Option<&WireMoney>) -> Result<String, Incomplete> {
    let money = money.and_then(convert::money).ok_or(Incomplete("receipt"))?;
    let text = money.to_string();
    Ok(if text.contains('.') { text } else { text + ".00" })
}

/// Half of a rate: "9", "2.5".
fn half_rate(percent: i32) -> String {
    let rest = if percent % 2 == 0 { "" } else { ".5" };
    format!("{}{rest}", percent / 2)
}

/// The reference that a person can read out: the last eight characters of the booking's id, in
/// capitals. The start of the id is a time and nearly the same for all bookings of a day.
fn reference(booking_id: &str) -> String {
    let known = booking_id.parse::<Id<Booking>>().is_ok();
    let digits = booking_id.len().checked_sub(8).filter(|_| known);
    digits.and_then(|from| booking_id.get(from..)).unwrap_or(booking_id).to_uppercase()
}

#[cfg(test)]
mod tests {
    use contract::common::v1::Money;

    use super::{half_rate, reference, with_decimals};

    #[test]
    fn a_reference_can_be_read_out() {
        assert_eq!(reference("bkg_019340000000700080000000000a2b3c"), "000A2B3C");
    }

    #[test]
    fn a_receipt_states_paise_and_half_rates() {
        let money = |minor_units| Money { minor_units, currency_code: "INR".to_owned() };
        assert_eq!(with_decimals(Some(&money(150_000))), Ok("₹1,500.00".to_owned()));
        assert_eq!(with_decimals(Some(&money(11_441))), Ok("₹114.41".to_owned()));
        assert!(with_decimals(None).is_err());
        assert_eq!((half_rate(18), half_rate(5)), ("9".to_owned(), "2.5".to_owned()));
    }
}
