//! The staff's commands for the terminal. Each command signs in, makes its calls through the
//! gateway as a browser would, and prints the answers. A session with a second factor stays for the
//! next command; any other ends with its command.
//!
//! The names and addresses of customers are shown only here and only to staff.
#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

mod agreement;
mod arguments;
mod outcome;
mod tokens;
mod kept;
mod credentials;
mod session;
mod references;
mod refusal;
mod confirm;
mod table;
mod labels;
mod shown_address;
mod money;
mod dates;
mod session_cells;
mod today;
mod bookings;
mod block;
mod calendar;
mod cancel;
mod claim;
mod refund;
mod release;
mod rooms;
mod desk_money;
mod parked;
mod phone;
mod mails;
mod timeline;
mod history;
mod mark;
mod dispute;
mod doctor;
mod orders;
mod ledger;
mod consent;
mod members;

use crate::environment::Environment;
use crate::output;
use crate::paths::Paths;
use anyhow::Result;
use arguments::{Arguments, Usage};
use credentials::Credentials;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use outcome::Outcome;
use session::Session;
use std::process::ExitCode;

/// The usage text of these commands.
pub(crate) const USAGE: &str = "\
for staff, in a second terminal (signed in as SUKOON_EMAIL with SUKOON_PASSWORD, or as the owner of
this machine's practice; the code of the account's authenticator app is asked for, or taken from
SUKOON_CODE, and the session stays for twelve hours):
  today [DATE]              a day: its sessions, times held, times closed
  bookings [--from DATE] [--days N] [--state STATE]
  block DATE [FROM TO] [--practitioner ID]
                            close a day, or a part of it, to customers; without ID the first
                            practitioner's
  unblock BLOCK             open it again
  calendar addresses        the secret addresses at which calendars read sessions
  calendar renew [PRACTITIONER] [--names]
                            a new address, with the clients' names or without; the one
                            before ends
  calendar stop [PRACTITIONER]
                            no address any more
  calendar sources          practitioners' own calendars, which close times, and whether they
                            can be read
  calendar read CALENDAR    read one now
  cancel BOOKING [--by customer|practice] [--refund policy|full|none] [--session N]
                            with N only that session of a package, from 1
  accept-claim BOOKING      confirm a booking on the customer's word that it is paid
  phone-booking SERVICE START... --first-name NAME --last-name NAME --email ADDRESS
                [--phone NUMBER] [--notes TEXT] [--mode online|in-person] [--package ID]
                [--practitioner ID] [--hold MINUTES] [--mail]
                            book for a client on the phone, at 2026-11-24T11:00 by the
                            practice's clock; prints the address at which it is paid, and
                            with --mail it is sent; held for 24 hours unless you say
  send-link BOOKING         send that address again
  release BOOKING           take back an unpaid booking that was made by phone
  pay-at-desk BOOKING AMOUNT --way cash|upi [--reference TEXT]
                            confirm a booking by phone whose price was paid at the desk;
                            the reference is the bank's, of a payment by UPI
  give-back BOOKING AMOUNT --way cash|upi [--reference TEXT]
                            what is owed of such a payment was given back at the desk
  refund BOOKING [AMOUNT]   give money back, all that is left or an amount such as 499.50
  refund BOOKING --release  let go what waits for the end of a dispute
  mails [--failed|--waiting|--state STATE] [--booking BOOKING] [--all]
  mails retry MAIL          try a mail again that failed or waits, now and for three days more
  mails retry --failed [--reason REASON]
                            all that failed, or those with a reason such as smtp_554
  mails settle MAIL         a mail that failed was dealt with in another way
  parked list               events that a service could not take in
  parked retry [STREAM]     try them again
  orders unexplained [--all]
  orders explain REASON SUBJECT BECAUSE
                            a row of that list is right as it is; its subject is its
                            payment, else its order, else its booking
  mark BOOKING came|late|no-show|unmarked [--session N]
                            whether the client came, from the session's start until 14 days
                            after its end; of a package the last session that has begun
  history BOOKING [--words]
                            all that has happened to a booking and its money, and what its
                            client agreed to; --words prints the texts as they were shown
  dispute pack BOOKING [--output FILE]
                            what a bank asks for when it disputes the payment, as one file
  consent withdrawn         sessions to come whose client has withdrawn the consent
  consent verify FILE       whether a consent file is ours and unchanged, and who gave it
  members                   who works for the practice, and as what
  members invitations       who was invited, and what came of it
  members invite ADDRESS --role owner|admin|practitioner|front-desk [--practitioner ID]
                            invite an address by mail; it can accept for 48 hours
  members resend INVITATION send an invitation again, with a new link
  members withdraw INVITATION
                            an invitation ends
  members role MEMBER ROLE [--practitioner ID]
                            give a member another role, such as a second owner
  members remove MEMBER     a member has no rights any more
  doctor                    what works and what doesn't, and what to do about it
  doctor payments [BOOKING]
                            whether the payment provider is set up, shown by a payment
                            and its refund: the newest, or that of a booking
  balances                  the sums of the ledger's accounts
  ledger BOOKING            the ledger's entries about a booking
  BOOKING is the reference of eight digits that mails quote, or the whole id
  --json prints what programs read; --yes answers the question before what cannot be undone
  --key KEY says again what may have been done already, without doing it twice";

type CommandFuture<'a> = BoxFuture<'a, Result<Outcome>>;

/// A command: its name, its arguments, and the function that runs it.
struct Command {
    /// The name, of one or two words.
    words: &'static [&'static str],
    /// Options that take a value.
    options: &'static [&'static str],
    /// The smallest and the largest number of positional arguments.
    arguments: (usize, usize),
    /// Runs the command in a signed-in session.
    run: for<'a> fn(&'a Session, &'a Arguments) -> CommandFuture<'a>,
    /// Checks the arguments before the sign-in.
    check: fn(&Arguments) -> Result<(), Usage>,
}

/// Creates a row of the table of commands.
macro_rules! command {
    ($words:expr, $options:expr, $arguments:expr, $module:ident :: $run:ident, $check:ident) => {
        Command {
            words: &$words,
            options: &$options,
            arguments: $arguments,
            run: |session, arguments| $module::$run(session, arguments).boxed(),
            check: $module::$check,
        }
    };
}

/// The options of money that changed hands at the desk.
const DESK_OPTIONS: [&str; 3] = ["way", "reference", "key"];
/// The options of a booking by phone.
const PHONE_OPTIONS: [&str; 10] = [
    "first-name",
    "last-name",
    "email",
    "phone",
    "notes",
    "mode",
    "package",
    "practitioner",
    "hold",
    "key",
];

static COMMANDS: &[Command] = &[
    command!(["today"], [], (0, 1), today::run, check),
    command!(["bookings"], ["from", "days", "state"], (0, 0), bookings::run, check),
    command!(["block"], ["practitioner", "key"], (1, 3), block::close, check_close),
    command!(["unblock"], [], (1, 1), block::open, check_open),
    command!(["calendar", "addresses"], [], (0, 0), calendar::addresses, check),
    command!(["calendar", "renew"], ["key"], (0, 1), calendar::renew, check_renew),
    command!(["calendar", "stop"], [], (0, 1), calendar::stop, check_practitioner),
    command!(["calendar", "sources"], [], (0, 0), calendar::sources, check),
    command!(["calendar", "read"], [], (1, 1), calendar::read, check_calendar),
    command!(["cancel"], ["by", "refund", "session", "key"], (1, 1), cancel::run, check),
    command!(["accept-claim"], ["key"], (1, 1), claim::run, check),
    command!(["phone-booking"], PHONE_OPTIONS, (2, 21), phone::book, check_call),
    command!(["send-link"], ["key"], (1, 1), phone::send_link, check_link),
    command!(["release"], ["key"], (1, 1), release::run, check),
    command!(["mark"], ["session", "key"], (2, 2), mark::run, check),
    command!(["history"], [], (1, 1), history::run, check),
    command!(["pay-at-desk"], DESK_OPTIONS, (2, 2), desk_money::pay, check),
    command!(["give-back"], DESK_OPTIONS, (2, 2), desk_money::give_back, check),
    command!(["refund"], ["key"], (1, 2), refund::run, check),
    command!(["mails", "retry"], ["reason"], (0, 1), mails::retry, check_retry),
    command!(["mails", "settle"], [], (1, 1), mails::settle, check_one),
    command!(["mails"], ["state", "booking"], (0, 0), mails::run, check),
    command!(["parked", "list"], [], (0, 0), parked::list, check),
    command!(["parked", "retry"], [], (0, 1), parked::retry, check),
    command!(["orders", "unexplained"], [], (0, 0), orders::run, check),
    command!(["orders", "explain"], [], (3, 3), orders::explain, check),
    command!(["dispute", "pack"], ["output"], (1, 1), dispute::pack, check),
    command!(["consent", "withdrawn"], [], (0, 0), consent::withdrawn, check),
    command!(["consent", "verify"], [], (1, 1), consent::verify, check),
    command!(["members", "invitations"], [], (0, 0), members::invitations, check),
    command!(
        ["members", "invite"],
        ["role", "practitioner", "key"],
        (1, 1),
        members::invite,
        check_invite
    ),
    command!(["members", "resend"], ["key"], (1, 1), members::resend, check_invitation),
    command!(["members", "withdraw"], [], (1, 1), members::withdraw, check_invitation),
    command!(["members", "role"], ["practitioner"], (2, 2), members::change_role, check_role),
    command!(["members", "remove"], [], (1, 1), members::remove, check_member),
    command!(["members"], [], (0, 0), members::run, check),
    command!(["doctor", "payments"], [], (0, 1), doctor::payments, check_payments),
    command!(["doctor"], [], (0, 0), doctor::run, check),
    command!(["balances"], [], (0, 0), ledger::balances, check_balances),
    command!(["ledger"], [], (1, 1), ledger::entries, check_entries),
];

/// Runs the command that the words name. Returns none when it is not a staff command.
pub(crate) async fn run(
    environment: &Environment,
    paths: Option<&Paths>,
    words: &[String],
) -> Option<ExitCode> {
    let command = COMMANDS.iter().find(|command| command.matches(words))?;
    let rest = words.get(command.words.len()..).unwrap_or_default();
    let arguments = Arguments::read(rest, command.options, command.arguments);
    let arguments = match arguments.and_then(|read| (command.check)(&read).map(|()| read)) {
        Ok(arguments) => arguments,
        Err(usage) => {
            let (name, how) = (command.words.join(" "), command.usage());
            output::problem(&anyhow::anyhow!("{name}: {usage}\nusage: sukoon {how}"));
            return Some(ExitCode::from(2));
        }
    };
    Some(match run_signed_in(environment, paths, command, &arguments).await {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Partial) => ExitCode::FAILURE,
        Err(error) => {
            output::problem(&error);
            ExitCode::FAILURE
        }
    })
}

impl Command {
    /// Its line in the usage text.
    fn usage(&self) -> &'static str {
        let name = self.words.join(" ");
        let mut lines = USAGE.lines().filter_map(|line| line.strip_prefix("  "));
        lines.find(|line| line.starts_with(&name)).unwrap_or_default()
    }

    fn matches(&self, words: &[String]) -> bool {
        words.get(..self.words.len()).is_some_and(|rest| rest == self.words)
    }
}

/// `sukoon owner code`: prints a code of the owner's authenticator app that was not used before,
/// for a sign-in in the browser.
pub(crate) async fn print_owner_code(paths: &Paths) -> Result<ExitCode> {
    let credentials = Credentials::find(&Environment::default(), Some(paths))?;
    if !credentials.second_step.is_own() {
        anyhow::bail!("the owner of this practice has no authenticator app of ours");
    }
    output::line(Session::code(credentials).await?);
    Ok(ExitCode::SUCCESS)
}

async fn run_signed_in(
    environment: &Environment,
    paths: Option<&Paths>,
    command: &Command,
    arguments: &Arguments,
) -> Result<Outcome> {
    let credentials = Credentials::find(environment, paths)?;
    let session = Session::open(credentials).await?;
    let outcome = match references::resolve(&session, command.words, arguments).await {
        Ok(arguments) => (command.run)(&session, &arguments).await,
        Err(error) => Err(error),
    };
    session.close().await;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn matched(text: &str) -> Option<&'static [&'static str]> {
        let words = words(text);
        COMMANDS.iter().find(|command| command.matches(&words)).map(|command| command.words)
    }

    #[test]
    fn a_command_is_matched_by_all_its_words() {
        assert_eq!(matched("today 2026-11-24"), Some(["today"].as_slice()));
        assert_eq!(matched("parked retry booking-1"), Some(["parked", "retry"].as_slice()));
        assert_eq!(matched("mails retry mal_1"), Some(["mails", "retry"].as_slice()));
        assert_eq!(matched("mails --failed"), Some(["mails"].as_slice()));
        assert_eq!(matched("parked"), None);
        assert_eq!(matched("up"), None);
        assert_eq!(matched(""), None);
    }

    #[tokio::test]
    async fn invalid_arguments_are_refused_before_the_sign_in() {
        let environment = Environment::default();
        for text in [
            "today tomorrow",
            "today 2026-11-24 2026-11-25",
            "bookings --days many",
            "bookings --state sleeping",
            "block",
            "block 2026-11-24 14:00",
            "block 2026-11-24 25:00 26:00",
            "block 2026-11-24 16:00 14:00",
            "unblock bkg_1",
            "calendar addresses lead",
            "calendar renew Lead",
            "calendar renew lead --key short",
            "calendar stop lead ravi",
            "calendar sources all",
            "calendar read",
            "calendar read Google",
            "cancel",
            "cancel bkg_1 --by nobody",
            "cancel bkg_1 --refund some",
            "phone-booking meditation",
            "phone-booking meditation 2026-11-24T11:00 --first-name Asha --last-name Rao",
            "phone-booking meditation tomorrow --first-name A --last-name B --email a@b.in",
            "send-link usr_1",
            "send-link",
            "refund bkg_1 4.999",
            "refund bkg_1 -5",
            "refund bkg_00000000000000000000000000000001 5 --release",
            "refund bkg_00000000000000000000000000000001 5 --key short",
            "accept-claim usr_1",
            "pay-at-desk bkg_00000000000000000000000000000001 500",
            "pay-at-desk bkg_00000000000000000000000000000001 500 --way card",
            "pay-at-desk bkg_00000000000000000000000000000001 five --way cash",
            "give-back bkg_00000000000000000000000000000001 --way cash",
            "mails all",
            "mails --state asleep",
            "mails --failed --waiting",
            "mails --failed --state sent",
            "mails --booking mal_00000000000000000000000000000001",
            "mails retry",
            "mails retry --reason smtp_554",
            "mails retry mal_00000000000000000000000000000001 --failed",
            "mails settle bkg_00000000000000000000000000000001",
            "parked list all",
            "ledger",
            "balances --loud",
            "doctor booking",
            "doctor payments usr_1",
        ] {
            let code = run(&environment, None, &words(text)).await.unwrap();
            assert_eq!(code, ExitCode::from(2), "{text}");
        }
        assert_eq!(run(&environment, None, &words("up")).await, None);
    }

    #[test]
    fn the_usage_names_every_command() {
        for command in COMMANDS {
            assert!(command.usage().starts_with(&command.words.join(" ")), "{:?}", command.words);
        }
    }
}
