//! `sukoon dispute pack`: the evidence that a bank requests for a disputed payment, in one HTML
//! file. It omits what clients have written about themselves.
use crate::agreement;
use crate::arguments::OneBooking;
use crate::dates::Zone;
use crate::labels::{client_name, contact, list, service_label, state, text};
use crate::money;
use crate::outcome::Outcome;
use crate::references;
use crate::session::Session;
use crate::timeline::timeline;
use anyhow::{Context as _, Result};
use machine::output;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("dispute.css");
/// How many mails are requested; no booking has more.
const MAILS: u32 = 100;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Dispute {
    /// What a bank asks for when it disputes the payment, as one file.
    Pack(Packing),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Packing {
    #[command(flatten)]
    of: OneBooking,
    /// The file to write; dispute-BOOKING.html unless you say.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(session: &Session, Dispute::Pack(packing): &Dispute) -> Result<Outcome> {
    let booking_id = &references::id_of(session, &packing.of.booking).await?;
    let request = json!({ "bookingId": booking_id });
    let evidence = Evidence {
        booking: session.call("booking.v1.BookingStaffService/GetBookingHistory", &request).await?,
        money: session.call("payments.v1.PaymentsStaffService/GetPaymentHistory", &request).await?,
        mails: {
            let request = json!({ "bookingId": booking_id, "pageSize": MAILS });
            session.call("notifications.v1.NotificationsStaffService/ListMails", &request).await?
        },
    };
    if session.options.json {
        output::line(json!({
            "booking": evidence.booking,
            "payment": evidence.money,
            "mails": evidence.mails["mails"],
        }));
        return Ok(Outcome::Complete);
    }
    let usual = || PathBuf::from(format!("dispute-{booking_id}.html"));
    let path = packing.output.clone().unwrap_or_else(usual);
    write(&path, &page(&Zone::of(session).await?, &evidence))?;
    output::line(format_args!("{} is written. Read it before you send it.", path.display()));
    Ok(Outcome::Complete)
}

/// Writes a new file and refuses to overwrite one.
fn write(path: &Path, page: &str) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).open(path);
    let mut file = file.with_context(|| format!("{} cannot be written", path.display()))?;
    std::io::Write::write_all(&mut file, page.as_bytes())?;
    Ok(())
}

/// The answers of the services.
struct Evidence {
    booking: Value,
    money: Value,
    mails: Value,
}

/// The HTML page.
fn page(zone: &Zone, evidence: &Evidence) -> String {
    let staff = &evidence.booking["booking"];
    let booking = &staff["booking"];
    let id = text(&booking["bookingId"]);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <title>Booking {id}</title><style>{STYLE}</style></head><body>\n\
         <h1>{}: evidence for booking {id}</h1>\n",
        escape(&zone.practice),
    );
    let sessions: Vec<String> =
        list(&booking["sessions"]).iter().map(|session| session_words(zone, session)).collect();
    let paid = payment_event(&evidence.money);
    definition_table(&mut page, "The payment", &payment_rows(zone, &paid, &evidence.money));
    definition_table(
        &mut page,
        "What was booked",
        &[
            ("Service", service_label(booking)),
            ("Sessions", sessions.join("; ")),
            ("Price", money::shown(&booking["price"])),
            ("State", state(booking)),
            ("Booked by", client_name(booking)),
            ("Reached at", contact(booking)),
        ],
    );
    definition_table(&mut page, "What was agreed", &agreement::rows(zone, &evidence.booking));
    let entries = timeline(zone, &evidence.booking["entries"], &evidence.money["entries"]);
    table(&mut page, "What happened", &["When", "What", "Details"], &entries);
    let mails: Vec<_> =
        list(&evidence.mails["mails"]).iter().map(|mail| mail_row(zone, mail)).collect();
    table(&mut page, "Messages", &["Sent", "What", "How it stands", "Message id"], &mails);
    for (title, words) in agreement::kept_words(&evidence.booking) {
        heading(&mut page, &title);
        cell_of(&mut page, "pre", &words);
    }
    page.push_str("</body></html>\n");
    page
}

fn session_words(zone: &Zone, session: &Value) -> String {
    let cancelled = if session["cancelled"] == true { " (cancelled)" } else { "" };
    format!("{}, {} {}{cancelled}", zone.day(&session["startsAt"]), zone.span(session), zone.label)
}

/// The event of the verified payment.
fn payment_event(money: &Value) -> Value {
    let entries = list(&money["entries"]);
    entries.iter().find(|entry| entry["event"] == "PaymentVerified").cloned().unwrap_or_default()
}

fn payment_rows(zone: &Zone, paid: &Value, money: &Value) -> Vec<(&'static str, String)> {
    let entries = list(&money["entries"]);
    let order = entries.iter().find(|entry| entry["event"] == "OrderCreated");
    let receipts: Vec<String> = list(&money["receipts"]).iter().map(text).collect();
    vec![
        ("Amount", money::shown(&paid["amount"])),
        ("Received", zone.moment(&paid["recordedAt"])),
        ("Payment id", text(&paid["paymentId"])),
        ("Order id", order.map(|order| text(&order["subject"])).unwrap_or_default()),
        ("Receipt", receipts.join(", ")),
    ]
}

fn mail_row(zone: &Zone, mail: &Value) -> [String; 4] {
    let word = |value: &Value, prefix: &str| {
        text(value).trim_start_matches(prefix).to_lowercase().replace('_', " ")
    };
    [
        zone.moment(&mail["sentAt"]),
        word(&mail["kind"], "MAIL_KIND_"),
        word(&mail["state"], "DELIVERY_STATE_"),
        text(&mail["messageId"]),
    ]
}

fn definition_table(page: &mut String, title: &str, rows: &[(&str, String)]) {
    heading(page, title);
    page.push_str("<table>");
    for (name, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
        cells(page, "th", [*name]);
        cells(page, "td", [value.as_str()]);
        page.push_str("</tr>");
    }
    page.push_str("</table>\n");
}

fn table<const N: usize>(page: &mut String, title: &str, head: &[&str; N], rows: &[[String; N]]) {
    heading(page, title);
    page.push_str("<table>");
    cells(page, "th", *head);
    page.push_str("</tr>");
    for row in rows {
        page.push_str("<tr>");
        for cell in row {
            cell_of(page, "td", cell);
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>\n");
}

fn heading(page: &mut String, title: &str) {
    page.push_str("<h2>");
    page.push_str(&escape(title));
    page.push_str("</h2>\n");
}

fn cells<const N: usize>(page: &mut String, tag: &str, texts: [&str; N]) {
    if tag == "th" {
        page.push_str("<tr>");
    }
    for text in texts {
        cell_of(page, tag, text);
    }
}

fn cell_of(page: &mut String, tag: &str, text: &str) {
    for part in ["<", tag, ">", &escape(text), "</", tag, ">"] {
        page.push_str(part);
    }
}

/// Escapes a text for HTML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_text_is_escaped() {
        assert_eq!(escape("<b>\"A\" & B</b>"), "&lt;b&gt;&quot;A&quot; &amp; B&lt;/b&gt;");
    }

    #[test]
    fn a_file_that_is_there_is_not_written_over() {
        let path = std::env::temp_dir().join(format!("pack-{}.html", std::process::id()));
        write(&path, "one").unwrap();
        assert!(write(&path, "two").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        fs::remove_file(path).unwrap();
    }
}
