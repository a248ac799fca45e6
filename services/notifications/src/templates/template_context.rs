//! Facts as the templates' variables: times and amounts as text, in the practice's zone, and typed
//! text without characters that could break a line or a header. `docs/MAIL_VARIABLES.md` lists all
//! variables.

use std::path::Path;

use jiff::civil::Date;
use kernel::{Currency, Money, Timestamp};
use practice::guide::{self, Guide};
use practice::{DarkBrand, Practice};
use serde_json::{Value, json};

use crate::mails::facts::{Facts, Incomplete, Wording};
use crate::mails::kind::Kind;

mod booking;
mod cancelling;
mod moving;
mod asking;
mod sanitize;
mod other;

pub use self::sanitize::{greeting, one_line, query_encode};

/// The data that all mails share.
#[derive(Debug, Clone)]
pub struct TemplateContext {
    /// The practice's file.
    pub practice: Practice,
    /// The practice's meditation guide.
    pub guide: Guide,
    /// The website's URL, without a slash at its end.
    pub public_url: String,
}

/// The input of a mail beside its facts.
#[derive(Debug, Clone, Copy)]
pub struct RenderInput<'a> {
    /// Which mail.
    pub kind: Kind,
    /// The payload of its event.
    pub payload: &'a Value,
    /// The unsubscribe link; empty for a mail about a booking or an account.
    pub unsubscribe_url: &'a str,
    /// The time of rendering.
    pub now: Timestamp,
}

impl TemplateContext {
    /// Reads the practice's files.
    pub fn load(practice_dir: &Path, public_url: &str) -> Result<Self, practice::Error> {
        Ok(Self {
            practice: practice::load(practice_dir)?,
            guide: guide::load(practice_dir)?,
            public_url: public_url.to_owned(),
        })
    }

    /// The variables of a mail.
    ///
    /// # Errors
    /// When an amount is missing.
    pub fn variables(
        &self,
        facts: &Facts,
        render_input: &RenderInput<'_>,
    ) -> Result<Value, Incomplete> {
        let RenderInput { kind, payload, unsubscribe_url, now } = *render_input;
        let mut variables = match facts {
            Facts::Code(code) => self.of_code(code),
            Facts::Notice(notice) => self.of_notice(notice)?,
            Facts::Booking(facts) => {
                let mut variables = self.of_booking(facts, payload, now)?;
                self.name_room(kind, facts, &mut variables);
                variables
            }
            Facts::Message(message) => self.of_message(message),
            Facts::Guide { .. } => self.of_guide(),
            Facts::Review(review) => self.of_review(review),
            Facts::Day { date, sessions } => self.of_day(*date, sessions, now)?,
            Facts::Own(own) => own.variables(self)?,
        };
        if let Some(customer) = variables.get_mut("customer")
            && !kind.is_for_the_practice()
        {
            *customer = recipient_view(customer);
        }
        if let Some(all) = variables.as_object_mut() {
            let mut practice = self.practice();
            // The note on help in a crisis is for people who may need it.
            if kind.is_for_the_practice()
                && let Some(note) = practice.get_mut("crisis_note")
            {
                *note = json!("");
            }
            all.insert("practice".to_owned(), practice);
            let links = all.entry("links").or_insert_with(|| json!({}));
            if let Some(links) = links.as_object_mut() {
                links.insert("unsubscribe_url".to_owned(), unsubscribe_url.into());
            }
        }
        Ok(variables)
    }

    fn practice(&self) -> Value {
        let Practice { practice, location, policies, brand, .. } = &self.practice;
        json!({
            "name": practice.name,
            "phone": practice.phone,
            "email": practice.email,
            "address": practice.address,
            "contact_hours": practice.contact_hours,
            "crisis_note": practice.crisis_note,
            "directions": location.directions,
            "join_early_minutes": policies.join_early_minutes,
            "brand": {
                "primary": brand.primary, "on_primary": brand.on_primary,
                "background": brand.background, "surface": brand.surface,
                "ink": brand.ink, "ink_soft": brand.ink_soft,
                "line": brand.line, "soft": brand.soft,
                "dark": dark_brand(&brand.dark),
            },
        })
    }

    /// "Tuesday 24 November 2026, 11:00 am IST".
    fn day_and_time(&self, at: Timestamp) -> String {
        format!("{}, {}", day(at.in_zone(&self.practice.practice.zone).date()), self.time(at))
    }

    /// "11:45 am IST".
    fn time(&self, at: Timestamp) -> String {
        format!("{} {}", self.clock(at), self.practice.practice.zone_label)
    }

    /// "11:45 am".
    fn clock(&self, at: Timestamp) -> String {
        at.in_zone(&self.practice.practice.zone).strftime("%-I:%M %P").to_string()
    }
}

impl Wording for TemplateContext {
    fn day_and_time(&self, at: Timestamp) -> String {
        Self::day_and_time(self, at)
    }

    fn public_url(&self) -> &str {
        &self.public_url
    }
}

/// A client's data in a mail to a person: names only if they look like names, because the mail may
/// reach another person than the one who typed them (see [`greeting`]), and without the fields that
/// only the practice reads.
fn recipient_view(customer: &Value) -> Value {
    let typed = |field: &str| customer.get(field).and_then(Value::as_str).unwrap_or_default();
    let (first_name, last_name) = (typed("first_name"), typed("last_name"));
    json!({
        "first_name": greeting(first_name),
        "full_name": greeting(&format!("{first_name} {last_name}")),
        "email": typed("email"),
    })
}

fn dark_brand(brand: &DarkBrand) -> Value {
    json!({
        "primary": brand.primary, "on_primary": brand.on_primary,
        "background": brand.background, "surface": brand.surface,
        "ink": brand.ink, "ink_soft": brand.ink_soft,
        "line": brand.line, "soft": brand.soft,
    })
}

/// "Tuesday 24 November 2026".
fn day(date: Date) -> String {
    date.strftime("%A %-d %B %Y").to_string()
}

/// The amount in an event's payload.
fn amount(payload: &Value) -> Result<Money, Incomplete> {
    let minor = payload.get("amount_minor").and_then(Value::as_i64);
    let currency = payload.get("currency").and_then(Value::as_str);
    match (minor, currency.and_then(Currency::from_code)) {
        (Some(minor), Some(currency)) => Ok(Money { minor, currency }),
        _ => Err(Incomplete("amount")),
    }
}
