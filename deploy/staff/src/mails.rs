//! `sukoon mails`: the delivery state of all mails, and the commands for those that failed. The
//! recipient's address is not stored, so it is not shown.
use crate::arguments::{Booking, id};
use crate::confirm;
use crate::dates::Zone;
use crate::labels::{list, text};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::table::Table;
use crate::{references, words};
use anyhow::Result;
use contract::notifications::v1::DeliveryState;
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "notifications.v1.NotificationsStaffService";
/// How many mails one call requests.
const PAGE: u32 = 100;
/// How many are shown without `--all`.
const SHOWN: usize = 50;
/// The states in the order in which they are counted: those that need action come first.
const STATES: [DeliveryState; 7] = [
    DeliveryState::Failed,
    DeliveryState::Retrying,
    DeliveryState::Sending,
    DeliveryState::Queued,
    DeliveryState::Sent,
    DeliveryState::Dropped,
    DeliveryState::Settled,
];
/// The states of mails that are not delivered yet.
const WAITING: [DeliveryState; 3] =
    [DeliveryState::Retrying, DeliveryState::Sending, DeliveryState::Queued];
/// A short description of each kind of mail, which `build.rs` finds in its template.
const KINDS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/mail_kinds.rs"));

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Mails {
    #[command(subcommand)]
    act: Option<Act>,
    #[command(flatten)]
    listing: Listing,
}

#[derive(Debug, clap::Args)]
struct Listing {
    /// Those that failed.
    #[arg(long, conflicts_with_all = ["waiting", "state"])]
    failed: bool,
    /// Those that are not delivered yet.
    #[arg(long, conflicts_with = "state")]
    waiting: bool,
    /// Those in this state.
    #[arg(long, value_parser = words::read::<DeliveryState>)]
    state: Option<DeliveryState>,
    /// Those about this booking.
    #[arg(long)]
    booking: Option<Booking>,
    /// All of them; 50 unless you say.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Try mails again that failed or wait, now and for three days more.
    Retry(Retrying),
    /// A mail that failed was dealt with in another way.
    Settle(OneMail),
}

#[derive(Debug, clap::Args)]
struct Retrying {
    /// This mail.
    #[arg(required_unless_present = "failed", conflicts_with = "failed", value_parser = mail_id)]
    mail: Option<String>,
    /// All that failed.
    #[arg(long)]
    failed: bool,
    /// Of those only the ones with a reason such as smtp_554.
    #[arg(long, requires = "failed", conflicts_with = "mail")]
    reason: Option<String>,
}

#[derive(Debug, clap::Args)]
struct OneMail {
    #[arg(value_parser = mail_id)]
    mail: String,
}

fn mail_id(text: &str) -> Result<String, String> {
    id(text, "mal_")
}

pub(crate) async fn run(session: &Session, mails: &Mails) -> Result<Outcome> {
    match &mails.act {
        None => show(session, &mails.listing).await,
        Some(Act::Retry(retrying)) => match &retrying.mail {
            Some(mail) => retry(session, mail).await,
            None => retry_failed(session, retrying.reason.as_deref().unwrap_or_default()).await,
        },
        Some(Act::Settle(of)) => settle(session, &of.mail).await,
    }
}

impl Listing {
    /// The requested states by their names in the API; an empty list means all.
    fn states(&self) -> Vec<&'static str> {
        let states = match (self.failed, self.waiting, &self.state) {
            (true, ..) => &[DeliveryState::Failed][..],
            (_, true, _) => &WAITING,
            (.., state) => state.as_slice(),
        };
        states.iter().map(DeliveryState::as_str_name).collect()
    }
}

/// The mails collected over several pages and states.
#[derive(Default)]
struct MatchingMails {
    mails: Vec<Value>,
    counts: Value,
    more: bool,
}

async fn show(session: &Session, listing: &Listing) -> Result<Outcome> {
    let found = list_matching(session, listing).await?;
    if session.options.json {
        let MatchingMails { mails, counts, more } = found;
        output::line(json!({ "mails": mails, "counts": counts, "more": more }));
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let counts = counts_text(&found.counts);
    if !counts.is_empty() {
        output::line(format_args!("{counts}\n"));
    }
    table(&zone, &found.mails).show("No such mails.");
    if found.more {
        output::line("There are more than these: --all shows them.");
    }
    Ok(Outcome::Complete)
}

async fn list_matching(session: &Session, listing: &Listing) -> Result<MatchingMails> {
    let booking = match &listing.booking {
        Some(booking) => references::id_of(session, booking).await?,
        None => String::new(),
    };
    let wanted = listing.states();
    let wanted =
        if wanted.is_empty() { vec![DeliveryState::Unspecified.as_str_name()] } else { wanted };
    let limit = if listing.all { usize::MAX } else { SHOWN };
    let mut found = MatchingMails::default();
    for state in wanted {
        add_mails_of_state(session, (state, &booking), limit, &mut found).await?;
    }
    newest_first(&mut found.mails);
    found.more |= found.mails.len() > limit;
    found.mails.truncate(limit);
    Ok(found)
}

/// Requests the mails of a state, and of a booking if one is given, page by page up to a limit.
async fn add_mails_of_state(
    session: &Session,
    (state, booking): (&str, &str),
    limit: usize,
    found: &mut MatchingMails,
) -> Result<()> {
    let (mut listed, mut token) = (0_usize, String::new());
    while listed < limit {
        let request = json!({
            "state": state, "bookingId": booking, "pageSize": PAGE, "pageToken": token,
        });
        let mut answer = session.call(&format!("{SERVICE}/ListMails"), &request).await?;
        let mails = list(&answer["mails"]);
        listed = listed.saturating_add(mails.len());
        found.mails.extend_from_slice(mails);
        found.counts = answer["counts"].take();
        token = text(&answer["nextPageToken"]);
        if token.is_empty() {
            break;
        }
    }
    found.more |= !token.is_empty();
    Ok(())
}

/// Sorts mails of several states by time, the newest first.
fn newest_first(mails: &mut [Value]) {
    let at = |mail: &Value| text(&mail["queuedAt"]).parse::<jiff::Timestamp>().ok();
    mails.sort_by_key(|mail| std::cmp::Reverse(at(mail)));
}

/// "2 failed, 1 retrying, 340 sent": states that need action come first.
fn counts_text(counts: &Value) -> String {
    let of = |wire: &str| list(counts).iter().find(|it| it["state"] == wire);
    let known = STATES.iter().filter_map(|state| {
        let mails = &of(state.as_str_name())?["mails"];
        // JSON has large numbers as text.
        let mails = mails.as_str().map_or_else(|| mails.to_string(), str::to_owned);
        Some(format!("{mails} {}", words::word(*state)))
    });
    known.collect::<Vec<_>>().join(", ")
}

fn table(zone: &Zone, mails: &[Value]) -> Table {
    let headings =
        &["QUEUED", "WHAT", "STATE", "TRIES", "REASON", "NEXT OR SENT", "BOOKING", "MAIL"];
    let mut table = Table::new(headings);
    for mail in mails {
        table.row([
            zone.moment(&mail["queuedAt"]),
            kind(mail),
            state(mail),
            mail["attempts"].as_i64().unwrap_or_default().to_string(),
            text(&mail["reason"]).replace('_', " "),
            next(zone, mail),
            text(&mail["bookingId"]),
            text(&mail["mailId"]),
        ]);
    }
    table
}

/// The description of a mail's kind. An unknown kind keeps its own name.
fn kind(mail: &Value) -> String {
    let wire = text(&mail["kind"]);
    let name = wire.trim_start_matches("MAIL_KIND_");
    let known = KINDS.iter().find(|(kind, _)| *kind == name).map(|(_, words)| (*words).to_owned());
    known.unwrap_or_else(|| name.to_lowercase().replace('_', " "))
}

fn state(mail: &Value) -> String {
    words::word_of::<DeliveryState>(&text(&mail["state"]))
}

/// The time of the next attempt, or the time when it was sent.
fn next(zone: &Zone, mail: &Value) -> String {
    let (due, sent) = (zone.moment(&mail["dueAt"]), zone.moment(&mail["sentAt"]));
    match (sent.as_str(), due.as_str()) {
        ("", "") => "-".to_owned(),
        ("", due) => format!("next {due}"),
        (sent, _) => format!("sent {sent}"),
    }
}

async fn retry(session: &Session, id: &str) -> Result<Outcome> {
    let answer = retry_one(session, id).await?;
    if session.options.json {
        output::line(answer);
    } else {
        output::line(retry_message(&answer["mail"]));
    }
    Ok(Outcome::Complete)
}

async fn retry_one(session: &Session, id: &str) -> Result<Value, Refusal> {
    session.call(&format!("{SERVICE}/RetryMail"), &json!({ "mailId": id })).await
}

fn retry_message(mail: &Value) -> String {
    let what = kind(mail);
    if mail["state"] == "DELIVERY_STATE_SENDING" {
        format!("It is on its way: {what}.")
    } else {
        format!("Tried again now, and for three days more: {what}.")
    }
}

/// Retries every failed mail, one after the other. All are listed before the first retry, so that
/// a mail that fails again during the loop is not retried endlessly.
async fn retry_failed(session: &Session, reason: &str) -> Result<Outcome> {
    let mut failed = MatchingMails::default();
    add_mails_of_state(session, (DeliveryState::Failed.as_str_name(), ""), usize::MAX, &mut failed)
        .await?;
    let mut mails = failed.mails;
    retain_reason(&mut mails, reason);
    let (count, mut refused) = (mails.len(), Vec::new());
    for (number, mail) in mails.iter().enumerate() {
        let id = text(&mail["mailId"]);
        let said = match retry_one(session, &id).await {
            Ok(answer) => retry_message(&answer["mail"]),
            Err(refusal) => {
                refused.push(json!({ "mailId": id, "why": refusal.to_string() }));
                format!("Refused: {refusal}.")
            }
        };
        if !session.options.json {
            output::line(format_args!("{} of {count}  {id}  {said}", number.saturating_add(1)));
        }
    }
    let retried = count.saturating_sub(refused.len());
    let outcome = if refused.is_empty() { Outcome::Complete } else { Outcome::Partial };
    if session.options.json {
        output::line(json!({ "retried": retried, "refused": refused }));
    } else if count == 0 {
        output::line("No such mails.");
    } else {
        output::line(format_args!("{retried} tried again, {} refused.", refused.len()));
    }
    Ok(outcome)
}

/// Keeps the mails that failed for a reason. The reason may also be written as the table shows it.
fn retain_reason(mails: &mut Vec<Value>, reason: &str) {
    let reason = reason.to_lowercase().replace(' ', "_");
    mails.retain(|mail| reason.is_empty() || text(&mail["reason"]) == reason);
}

async fn settle(session: &Session, id: &str) -> Result<Outcome> {
    let question = format!("Has {id} been dealt with? It is never sent then.");
    confirm::require_confirmation(session.options, &question)?;
    let answer = session.call(&format!("{SERVICE}/SettleMail"), &json!({ "mailId": id })).await?;
    if session.options.json {
        output::line(answer);
    } else {
        let what = kind(&answer["mail"]);
        output::line(format_args!("Dealt with, and not sent any more: {what}."));
    }
    Ok(Outcome::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    fn read(words: &str) -> Result<Mails, clap::Error> {
        parsed(words)
    }

    #[test]
    fn states_are_those_that_the_service_knows() {
        let states = |words: &str| read(words).unwrap().listing.states();
        assert_eq!(states(""), Vec::<&str>::new());
        assert_eq!(states("--failed"), ["DELIVERY_STATE_FAILED"]);
        assert_eq!(states("--waiting").len(), 3);
        assert_eq!(states("--state Sent"), ["DELIVERY_STATE_SENT"]);
        let wrong = ["--failed --waiting", "--failed --state sent", "--state gone"];
        for wrong in wrong.into_iter().chain(["--booking bkg_1", "all"]) {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn states_that_need_action_are_counted_first() {
        let counts = json!([
            { "state": "DELIVERY_STATE_SENT", "mails": "340" },
            { "state": "DELIVERY_STATE_FAILED", "mails": 2 },
        ]);
        assert_eq!(counts_text(&counts), "2 failed, 340 sent");
        assert_eq!(counts_text(&Value::Null), "");
    }

    #[test]
    fn a_mail_has_readable_labels() {
        let mail = json!({ "kind": "MAIL_KIND_HOLD_ENDED", "state": "DELIVERY_STATE_RETRYING" });
        assert_eq!((kind(&mail), state(&mail)), ("hold ended".into(), "retrying".into()));
        let new = json!({ "kind": "MAIL_KIND_BIRTHDAY_WISH", "state": "DELIVERY_STATE_DREAMT" });
        let words = ("birthday wish".to_owned(), "dreamt".to_owned());
        assert_eq!((kind(&new), state(&new)), words);
    }

    #[test]
    fn one_mail_is_tried_again_or_all_that_failed() {
        let id = format!("mal_{}", "0a".repeat(16));
        for good in [id.as_str(), "--failed", "--failed --reason smtp_554"] {
            assert!(read(&format!("retry {good}")).is_ok(), "{good}");
        }
        let both = format!("{id} --failed");
        let reason = format!("{id} --reason smtp_554");
        for wrong in ["", "bkg_1", &both, &reason, "--reason smtp_554"] {
            assert!(read(&format!("retry {wrong}")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn mails_are_filtered_by_the_reason_of_their_failure() {
        let mails = || [json!({ "reason": "smtp_554" }), json!({ "reason": "smtp_550" })].to_vec();
        for (reason, count) in [("", 2), ("smtp_554", 1), ("SMTP 554", 1), ("gone", 0)] {
            let mut kept = mails();
            retain_reason(&mut kept, reason);
            assert_eq!(kept.len(), count, "{reason}");
        }
    }

    #[test]
    fn a_retry_of_a_mail_in_delivery_says_so() {
        let mail = |state: &str| json!({ "kind": "MAIL_KIND_RECEIPT", "state": state });
        assert_eq!(retry_message(&mail("DELIVERY_STATE_SENDING")), "It is on its way: receipt.");
        assert!(retry_message(&mail("DELIVERY_STATE_QUEUED")).starts_with("Tried again now"));
    }

    #[test]
    fn mails_of_several_states_are_sorted_by_time() {
        let at = |time: &str| json!({ "queuedAt": time });
        let mut mails =
            [at("2026-11-24T05:30:00Z"), at("2026-11-24T06:30:00.5Z"), at("2026-11-24T06:30:00Z")];
        newest_first(&mut mails);
        let times: Vec<_> = mails.iter().map(|mail| text(&mail["queuedAt"])).collect();
        assert_eq!(times[0], "2026-11-24T06:30:00.5Z");
        assert_eq!(times[2], "2026-11-24T05:30:00Z");
    }
}
