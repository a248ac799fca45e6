//! `sukoon mails`: the delivery state of all mails, and the commands for those that failed. The
//! recipient's address is not stored, so it is not shown.
use super::arguments::{Arguments, Usage, check_booking_form, check_id};
use super::confirm;
use super::dates::Zone;
use super::labels::{list, text};
use super::outcome::Outcome;
use super::refusal::Refusal;
use super::session::Session;
use super::table::Table;
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

const SERVICE: &str = "notifications.v1.NotificationsStaffService";
/// How many mails one call requests.
const PAGE: u32 = 100;
/// How many are shown without `--all`.
const SHOWN: usize = 50;
/// The states by the word that staff types. Those that need action come first.
const STATES: [(&str, &str); 7] = [
    ("failed", "DELIVERY_STATE_FAILED"),
    ("retrying", "DELIVERY_STATE_RETRYING"),
    ("sending", "DELIVERY_STATE_SENDING"),
    ("queued", "DELIVERY_STATE_QUEUED"),
    ("sent", "DELIVERY_STATE_SENT"),
    ("dropped", "DELIVERY_STATE_DROPPED"),
    ("settled", "DELIVERY_STATE_SETTLED"),
];
/// The states of mails that are not delivered yet.
const WAITING: [&str; 3] = ["retrying", "sending", "queued"];
/// A short description of each kind of mail, which `build.rs` finds in its template.
const KINDS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/mail_kinds.rs"));

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    states(arguments)?;
    match arguments.option("booking") {
        "" => Ok(()),
        booking => check_booking_form(booking),
    }
}

/// The requested states; an empty list means all.
fn states(arguments: &Arguments) -> Result<Vec<&'static str>, Usage> {
    let said = arguments.option("state").to_lowercase();
    let wanted: Vec<&str> = match (arguments.has("failed"), arguments.has("waiting"), said.as_str())
    {
        (false, false, "") => return Ok(Vec::new()),
        (true, false, "") => vec!["failed"],
        (false, true, "") => WAITING.to_vec(),
        (false, false, said) => vec![said],
        _ => return Err(Usage("say one of --failed, --waiting and --state".to_owned())),
    };
    let wire = |word: &&str| STATES.iter().find(|(known, _)| known == word).map(|(_, wire)| *wire);
    let known: Option<Vec<_>> = wanted.iter().map(wire).collect();
    known.ok_or_else(|| {
        let words: Vec<&str> = STATES.iter().map(|(word, _)| *word).collect();
        Usage(format!("--state must be one of {}", words.join(", ")))
    })
}

/// The mails collected over several pages and states.
#[derive(Default)]
struct MatchingMails {
    mails: Vec<Value>,
    counts: Value,
    more: bool,
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let found = list_matching(session, arguments).await?;
    if arguments.json() {
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

async fn list_matching(session: &Session, arguments: &Arguments) -> Result<MatchingMails> {
    let wanted = states(arguments)?;
    let wanted = if wanted.is_empty() { vec!["DELIVERY_STATE_UNSPECIFIED"] } else { wanted };
    let limit = if arguments.has("all") { usize::MAX } else { SHOWN };
    let mut found = MatchingMails::default();
    for state in wanted {
        add_mails_of_state(session, (state, arguments.option("booking")), limit, &mut found)
            .await?;
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
    let known = STATES.iter().filter_map(|(word, wire)| {
        let mails = &of(wire)?["mails"];
        // JSON has large numbers as text.
        let mails = mails.as_str().map_or_else(|| mails.to_string(), str::to_owned);
        Some(format!("{mails} {word}"))
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
    let wire = text(&mail["state"]);
    let known = STATES.iter().find(|(_, state)| *state == wire).map(|(word, _)| (*word).to_owned());
    known.unwrap_or(wire)
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

pub(super) fn check_one(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "mal_")
}

pub(super) fn check_retry(arguments: &Arguments) -> Result<(), Usage> {
    match (arguments.has("failed"), arguments.count()) {
        (true, 0) => Ok(()),
        (false, 1) if arguments.option("reason").is_empty() => check_one(arguments),
        (false, 1) => Err(Usage("--reason goes with --failed".to_owned())),
        _ => Err(Usage("say a mail, or --failed for all that failed".to_owned())),
    }
}

pub(super) async fn retry(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    if arguments.has("failed") {
        return retry_failed(session, arguments).await;
    }
    let answer = retry_one(session, arguments.at(0)).await?;
    if arguments.json() {
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
async fn retry_failed(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let mut failed = MatchingMails::default();
    add_mails_of_state(session, ("DELIVERY_STATE_FAILED", ""), usize::MAX, &mut failed).await?;
    let mut mails = failed.mails;
    retain_reason(&mut mails, arguments.option("reason"));
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
        if !arguments.json() {
            output::line(format_args!("{} of {count}  {id}  {said}", number.saturating_add(1)));
        }
    }
    let retried = count.saturating_sub(refused.len());
    let outcome = if refused.is_empty() { Outcome::Complete } else { Outcome::Partial };
    if arguments.json() {
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

pub(super) async fn settle(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let id = arguments.at(0);
    let question = format!("Has {id} been dealt with? It is never sent then.");
    confirm::require_confirmation(arguments, &question)?;
    let answer = session.call(&format!("{SERVICE}/SettleMail"), &json!({ "mailId": id })).await?;
    if arguments.json() {
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

    fn read(said: &[&str]) -> Arguments {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        Arguments::read(&said, &["state", "booking"], (0, 0)).unwrap()
    }

    #[test]
    fn states_are_those_that_the_service_knows() {
        assert_eq!(states(&read(&[])), Ok(vec![]));
        assert_eq!(states(&read(&["--failed"])), Ok(vec!["DELIVERY_STATE_FAILED"]));
        assert_eq!(states(&read(&["--waiting"])).unwrap().len(), 3);
        assert_eq!(states(&read(&["--state", "Sent"])), Ok(vec!["DELIVERY_STATE_SENT"]));
        for wrong in [&["--failed", "--waiting"][..], &["--failed", "--state", "sent"]] {
            assert!(states(&read(wrong)).is_err(), "{wrong:?}");
        }
        let told = states(&read(&["--state", "gone"])).unwrap_err().to_string();
        assert!(told.contains("settled"), "{told}");
        assert!(check(&read(&["--booking", "bkg_1"])).is_err());
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
        let words = ("birthday wish".to_owned(), "DELIVERY_STATE_DREAMT".to_owned());
        assert_eq!((kind(&new), state(&new)), words);
    }

    #[test]
    fn one_mail_is_tried_again_or_all_that_failed() {
        let read = |said: &str| {
            let said: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
            check_retry(&Arguments::read(&said, &["reason"], (0, 1)).unwrap())
        };
        let id = format!("mal_{}", "0a".repeat(16));
        for good in [id.as_str(), "--failed", "--failed --reason smtp_554"] {
            assert_eq!(read(good), Ok(()), "{good}");
        }
        let both = format!("{id} --failed");
        let reason = format!("{id} --reason smtp_554");
        for wrong in ["", "bkg_1", &both, &reason, "--reason smtp_554"] {
            assert!(read(wrong).is_err(), "{wrong}");
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
