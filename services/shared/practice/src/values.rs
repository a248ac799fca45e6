//! What the practice says about itself in `practice.toml`, as types.

use std::collections::BTreeSet;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use kernel::PracticeLate;
use kernel::cancellation_policy::USUAL_MOVES;
use serde::{Deserialize, Deserializer, de};

use super::embedding::{Embedding, SchedulingWidget};
use super::grace_rule::GraceRule;
use super::meetings::Meetings;

/// The id of the practice's first practitioner. It is part of the names of stored streams, so it
/// stays when the practitioner's name changes.
pub const LEAD_ID: &str = "lead";

/// Everything that the practice says about itself in `practice.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Practice {
    /// The practice's name and addresses.
    pub practice: Identity,
    /// Where sessions in person take place.
    pub location: Location,
    /// The rules of the booking desk.
    pub policies: Policies,
    /// When sessions can start.
    pub availability: Availability,
    /// Practitioners beside the first one, in the practice's order.
    #[serde(default)]
    pub practitioners: Vec<FurtherPractitioner>,
    /// Calendars of practitioners that close times.
    #[serde(default)]
    pub calendars: Vec<BusyCalendar>,
    /// Services whose time is chosen in the scheduling provider's own widget.
    #[serde(default)]
    pub scheduling_widgets: Vec<SchedulingWidget>,
    /// What reviews can be about.
    pub reviews: ReviewChoices,
    /// When the mails are sent that follow no act of a person.
    #[serde(default)]
    pub mails: Mails,
    /// What receipts state.
    #[serde(default)]
    pub receipts: Receipts,
    /// The sites that may show the booking widget.
    #[serde(default)]
    pub embedding: Embedding,
    /// Where sessions online take place.
    #[serde(default)]
    pub meetings: Meetings,
    /// Colours of mails.
    pub brand: Brand,
    /// Figures that the website states, in the practice's order.
    #[serde(default)]
    pub figures: Vec<Figure>,
}

/// The practice's name and addresses.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// The first practitioner, whose id is [`crate::LEAD_ID`].
    pub practitioner_name: String,
    /// Phone number, E.164.
    pub phone: String,
    /// WhatsApp number, E.164, or empty.
    pub whatsapp: String,
    /// Where customers write to.
    pub email: String,
    /// Who is told about each booking.
    pub notices_email: String,
    /// Postal address on one line.
    pub address: String,
    /// City.
    pub city: String,
    /// State.
    pub region: String,
    /// The zone in which all its times are meant.
    #[serde(rename = "time_zone", deserialize_with = "zone")]
    pub zone: TimeZone,
    /// How people write that zone, for example "IST".
    #[serde(rename = "time_zone_label")]
    pub zone_label: String,
    /// Hours as the contact page writes them.
    pub contact_hours: String,
    /// Hours as the cancellation policy writes them.
    pub support_hours: String,
    /// Where to find help in a crisis.
    pub crisis_note: String,
    /// What stands beside every service without a notice of its own, or empty.
    #[serde(default)]
    pub wellbeing_note: String,
}

/// Where sessions in person take place.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// How the place is called.
    pub name: String,
    /// Its address.
    pub address: String,
    /// How to find it.
    pub directions: String,
    /// A map link, or empty.
    pub map_url: String,
}

/// The rules of the booking desk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policies {
    /// Hours before a session until which it can be cancelled for all of its price.
    pub cancellation_hours: i32,
    /// Hours before a session until which its client can move it; unset for as long as it can be
    /// cancelled for all of its price.
    #[serde(default)]
    pub move_until_hours: Option<u16>,
    /// How often a client can move a session; 0 for never.
    #[serde(default = "moves_max")]
    pub moves_max: u16,
    /// How often a client can cancel late and lose less; unset for never.
    #[serde(default)]
    pub grace: Option<GraceRule>,
    /// What the practice gives when it cancels later than every step itself.
    #[serde(default, deserialize_with = "practice_late")]
    pub practice_late: PracticeLate,
    /// Minutes for which a chosen time is held.
    pub hold_minutes: i32,
    /// Minutes for which it is held at most, from the same moment, once checkout was opened.
    pub hold_extended_minutes: i32,
    /// How many live holds a customer may have.
    pub live_holds_max: i32,
    /// How much the front desk takes of one booking at the desk, in rupees; others take any price.
    #[serde(default = "desk_limit_rupees")]
    pub desk_limit_rupees: i32,
    /// How many minutes early a customer should join.
    pub join_early_minutes: i32,
    /// How long a refund takes, in words.
    pub refund_days_text: String,
    /// How long a reply to a question takes, in words.
    #[serde(default = "reply_days_text")]
    pub reply_days_text: String,
    /// What goes back of a session that is cancelled later than `cancellation_hours`, step by step.
    #[serde(default)]
    pub cancellation_steps: Vec<CancellationStep>,
}

/// A further step: what goes back of a session that is cancelled after `cancellation_hours`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancellationStep {
    /// Until how many hours before the start it holds.
    pub until_hours: u16,
    /// How much of the price goes back, in percent.
    pub refund_percent: u8,
    /// What the practice gives when it cancels that late itself.
    #[serde(default, deserialize_with = "practice_late")]
    pub practice_late: PracticeLate,
}

fn moves_max() -> u16 {
    USUAL_MOVES
}

/// Reads "nothing", "free session" or a share such as "20%".
fn practice_late<'de, D: Deserializer<'de>>(from: D) -> Result<PracticeLate, D::Error> {
    let text = String::deserialize(from)?;
    let share = || text.strip_suffix('%')?.trim_end().parse().ok();
    match text.as_str() {
        "nothing" => Ok(PracticeLate::Nothing),
        "free session" => Ok(PracticeLate::FreeSession),
        _ => share().map(PracticeLate::Share).ok_or_else(|| {
            de::Error::custom("it must be \"nothing\", \"free session\" or a share such as \"20%\"")
        }),
    }
}

/// The value for a file that is older than this rule.
fn desk_limit_rupees() -> i32 {
    20_000
}

/// The value for a file that is older than this setting.
fn reply_days_text() -> String {
    "2-3 business days".to_owned()
}

/// When sessions can start, in the practice's zone.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Availability {
    /// The days of the week, in the file's order, each once.
    #[serde(deserialize_with = "weekdays")]
    pub weekdays: Vec<Weekday>,
    /// The first start of a day.
    pub first_start: Time,
    /// The last start of a day, itself included.
    pub last_start: Time,
    /// Minutes between two starts.
    pub step_minutes: i32,
    /// Minutes before its start at which a time can no longer be chosen.
    pub notice_minutes: i32,
    /// Days ahead that can be booked.
    pub horizon_days: i32,
    /// Days without sessions.
    #[serde(default)]
    pub closed_dates: BTreeSet<Date>,
    /// Times without sessions.
    #[serde(default)]
    pub blocked_times: Vec<BlockedTime>,
}

/// A time on one day without sessions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockedTime {
    /// The day.
    pub date: Date,
    /// Its begin.
    pub from: Time,
    /// Its end, itself not included.
    pub to: Time,
}

/// A practitioner beside the first one. Missing values are the practice's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherPractitioner {
    /// A stable id: 1 to 32 small letters, digits and hyphens.
    pub practitioner_id: String,
    /// The name that clients read.
    pub name: String,
    /// The days of the week, each once; an empty list for a practitioner who gives no sessions any
    /// more.
    #[serde(default, deserialize_with = "some_weekdays")]
    pub weekdays: Option<Vec<Weekday>>,
    /// The first start of a day.
    #[serde(default)]
    pub first_start: Option<Time>,
    /// The last start of a day, itself included.
    #[serde(default)]
    pub last_start: Option<Time>,
    /// Days without sessions.
    #[serde(default)]
    pub closed_dates: Option<BTreeSet<Date>>,
    /// Times without sessions.
    #[serde(default)]
    pub blocked_times: Option<Vec<BlockedTime>>,
}

/// What reviews can be about.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReviewChoices {
    /// The choices of the form, in the practice's order.
    pub services: Vec<String>,
}

/// When the mails are sent that follow no act of a person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mails {
    /// Hours before a session at which its customer is reminded.
    pub reminder_hours: i32,
    /// Hours before a session for a second reminder; 0 for none.
    pub second_reminder_hours: i32,
    /// Whether the second reminder names the room itself beside the page that leads to it.
    pub second_reminder_names_room: bool,
    /// Minutes after a session's end at which its customer is asked how it was.
    pub follow_up_minutes: i32,
    /// The time of day at which the practice gets its sessions of the day, or none.
    #[serde(deserialize_with = "time_or_none")]
    pub day_sheet_at: Option<Time>,
}

impl Default for Mails {
    fn default() -> Self {
        Self {
            reminder_hours: 24,
            second_reminder_hours: 0,
            second_reminder_names_room: false,
            follow_up_minutes: 60,
            day_sheet_at: Some(Time::constant(7, 0, 0, 0)),
        }
    }
}

/// What receipts state.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Receipts {
    /// Which papers are issued about money.
    pub papers: Papers,
    /// What serial numbers begin with: one to three capital letters or digits.
    pub prefix: String,
    /// The same of invoices and bills of supply.
    pub invoice_prefix: String,
    /// The same of refund vouchers.
    pub refund_voucher_prefix: String,
    /// The same of credit notes.
    pub credit_note_prefix: String,
    /// Who issues them; empty for the practice's name.
    pub issued_by: String,
    /// The address on them; empty for the practice's address.
    pub issuer_address: String,
    /// How tax is stated.
    pub tax: Tax,
    /// The rate of GST in percent, included in all prices.
    pub gst_percent: i32,
    /// The practice's GSTIN, or empty while it is not registered.
    pub gstin: String,
    /// The service accounting code, or empty.
    pub service_code: String,
}

impl Default for Receipts {
    fn default() -> Self {
        Self {
            papers: Papers::Receipt,
            prefix: "R".to_owned(),
            invoice_prefix: "INV".to_owned(),
            refund_voucher_prefix: "RFV".to_owned(),
            credit_note_prefix: "CRN".to_owned(),
            issued_by: String::new(),
            issuer_address: String::new(),
            tax: Tax::None,
            gst_percent: 18,
            gstin: String::new(),
            service_code: String::new(),
        }
    }
}

/// Which papers are issued about money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Papers {
    /// A receipt when money has come.
    Receipt,
    /// All that a registered practice owes: receipt voucher, invoice or bill of supply, refund
    /// voucher, credit note.
    All,
}

/// How a receipt states tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tax {
    /// Not at all: the practice is not registered for GST.
    None,
    /// As GST that is included in the price.
    Gst,
}

/// Colours of mails, for light and dark mail programs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brand {
    /// Buttons and headings.
    pub primary: String,
    /// Text on `primary`.
    pub on_primary: String,
    /// Behind everything.
    pub background: String,
    /// Cards.
    pub surface: String,
    /// Text.
    pub ink: String,
    /// Quieter text.
    pub ink_soft: String,
    /// Lines.
    pub line: String,
    /// Quiet areas.
    pub soft: String,
    /// The same for dark mail programs.
    pub dark: DarkBrand,
}

/// The colours for dark mail programs; see [`Brand`].
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DarkBrand {
    /// Buttons and headings.
    pub primary: String,
    /// Text on `primary`.
    pub on_primary: String,
    /// Behind everything.
    pub background: String,
    /// Cards.
    pub surface: String,
    /// Text.
    pub ink: String,
    /// Quieter text.
    pub ink_soft: String,
    /// Lines.
    pub line: String,
    /// Quiet areas.
    pub soft: String,
}

/// One figure that the practice states about itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// A stable word for the pages.
    pub key: String,
    /// As written, for example "200+".
    pub value: String,
    /// What it counts.
    pub label: String,
}

/// A calendar that is read every few minutes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusyCalendar {
    /// A stable id: 1 to 32 small letters, digits and hyphens. Its secret has the same name.
    pub calendar_id: String,
    /// The practitioner whose times it closes; without it the practice's first one.
    #[serde(default = "lead")]
    pub practitioner_id: String,
    /// How it is read.
    pub kind: CalendarKind,
    /// Of an account: the address of its server, of its calendars or of one of them.
    #[serde(default)]
    pub url: String,
    /// Of an account: the name to sign in with.
    #[serde(default)]
    pub username: String,
    /// The addresses at which its owner is invited to events; without them the name of the account,
    /// or what stands in the address of a calendar at Google.
    #[serde(default)]
    pub invited_as: Vec<String>,
}

/// How a calendar is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarKind {
    /// The whole calendar file at an address, which is the secret.
    Address,
    /// By CalDAV (RFC 4791) from an account, whose password is the secret.
    Caldav,
}

fn zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TimeZone, D::Error> {
    let name = String::deserialize(deserializer)?;
    TimeZone::get(&name).map_err(|_unknown| {
        serde::de::Error::custom("it is not the IANA name of a zone, such as Asia/Kolkata")
    })
}

/// The practice's first practitioner, which a file need not name.
fn lead() -> String {
    LEAD_ID.to_owned()
}

fn time_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Time>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_unreadable| {
        serde::de::Error::custom("it is not a time of day such as \"07:00\", nor \"\"")
    })
}

/// The weekdays of a file, or the default.
fn some_weekdays<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<Weekday>>, D::Error> {
    weekdays(deserializer).map(Some)
}

fn weekdays<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Weekday>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| weekday(name)).collect::<Option<_>>().ok_or_else(|| {
        serde::de::Error::custom("a weekday is one of monday, tuesday, … sunday, in small letters")
    })
}

fn weekday(name: &str) -> Option<Weekday> {
    match name {
        "monday" => Some(Weekday::Monday),
        "tuesday" => Some(Weekday::Tuesday),
        "wednesday" => Some(Weekday::Wednesday),
        "thursday" => Some(Weekday::Thursday),
        "friday" => Some(Weekday::Friday),
        "saturday" => Some(Weekday::Saturday),
        "sunday" => Some(Weekday::Sunday),
        _ => None,
    }
}
