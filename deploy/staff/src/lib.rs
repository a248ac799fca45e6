//! The staff's commands for the terminal. Each command signs in, makes its calls through the
//! gateway as a browser would, and prints the answers. A session with a second factor stays for the
//! next command; any other ends with its command.
//!
//! The names and addresses of customers are shown only here and only to staff.
#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

mod agreement;
mod arguments;
mod words;
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
mod money;
mod move_session;
mod propose_move;
mod dates;
mod session_cells;
mod today;
mod bookings;
mod block;
mod calendar;
mod cancel;
mod claim;
mod refund;
mod refund_requests;
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

use anyhow::Result;
use arguments::{BookingWithKey, CommonOptions, Nothing, OneBooking};
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use credentials::Credentials;
use machine::environment::Environment;
use machine::output;
use machine::paths::Paths;
use outcome::Outcome;
use session::Session;
use std::process::ExitCode;

/// What stands above the list of these commands.
const INTRODUCTION: &str = "\
for staff, in a second terminal (signed in as SUKOON_EMAIL with SUKOON_PASSWORD, or as the owner of
this machine's practice; the code of the account's authenticator app is asked for, or taken from
SUKOON_CODE, and the session stays for twelve hours); --help behind a command says what it takes:";
/// How wide the column of their names is.
const NAMES: usize = 24;

#[derive(Debug, clap::Parser)]
#[command(name = "sukoon", disable_help_subcommand = true)]
struct CommandLine {
    #[command(flatten)]
    options: CommonOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// A day: its sessions, times held, times closed.
    Today(today::Arguments),
    /// The bookings of several days.
    Bookings(bookings::Arguments),
    /// Close a day, or a part of it, to customers.
    Block(block::Closing),
    /// Open it again.
    Unblock(block::Opening),
    /// The secret addresses at which calendars read sessions, and calendars that close times.
    #[command(subcommand)]
    Calendar(calendar::Calendar),
    /// Cancel a confirmed booking.
    Cancel(cancel::Arguments),
    /// Move a session to another time or practitioner; the client is told by mail.
    Move(move_session::Arguments),
    /// Ask the client of a session that can't take place to choose another time.
    ProposeMove(propose_move::Arguments),
    /// Let it take place at its time after all.
    WithdrawProposal(BookingWithKey),
    /// Confirm a booking on the customer's word that it is paid.
    AcceptClaim(BookingWithKey),
    /// Book for a client on the phone; prints the address at which it is paid.
    PhoneBooking(phone::PhoneBooking),
    /// Send that address again.
    SendLink(BookingWithKey),
    /// Take back an unpaid booking that was made by phone.
    Release(BookingWithKey),
    /// Confirm a booking by phone whose price was paid at the desk.
    PayAtDesk(desk_money::DeskMoney),
    /// What is owed of such a payment was given back at the desk.
    GiveBack(desk_money::DeskMoney),
    /// Give money back, all that is left or an amount such as 499.50.
    Refund(refund::Arguments),
    /// Refunds that clients ask for, with until when each is to be answered.
    RefundRequests(refund_requests::Listing),
    /// Answer one of them, once; the client is told by mail.
    AnswerRefundRequest(refund_requests::Answer),
    /// The mails, and how far their delivery is.
    Mails(mails::Mails),
    /// Events that a service could not take in.
    #[command(subcommand)]
    Parked(parked::Parked),
    /// Orders and payments that nothing explains.
    #[command(subcommand)]
    Orders(orders::Orders),
    /// Whether the client came, from the session's start until 14 days after its end.
    Mark(mark::Arguments),
    /// All that has happened to a booking and its money, and what its client agreed to.
    History(history::Arguments),
    /// What a bank asks for when it disputes a payment.
    #[command(subcommand)]
    Dispute(dispute::Dispute),
    /// Files of consents, and consents that were withdrawn.
    #[command(subcommand)]
    Consent(consent::Consent),
    /// Who works for the practice, and as what.
    Members(members::Members),
    /// What works and what doesn't, and what to do about it.
    Doctor(doctor::Doctor),
    /// The sums of the ledger's accounts.
    Balances(Nothing),
    /// The ledger's entries about a booking.
    Ledger(OneBooking),
}

impl Command {
    /// Checks what no single argument says.
    fn check(&self) -> Result<(), clap::Error> {
        let Self::Block(closing) = self else { return Ok(()) };
        let refused = |why| CommandLine::command().error(ErrorKind::ValueValidation, why);
        closing.check().map_err(refused)
    }

    async fn run(&self, session: &Session) -> Result<Outcome> {
        match self {
            Self::Today(arguments) => today::run(session, arguments).await,
            Self::Bookings(arguments) => bookings::run(session, arguments).await,
            Self::Block(closing) => block::close(session, closing).await,
            Self::Unblock(opening) => block::open(session, opening).await,
            Self::Calendar(calendar) => calendar::run(session, calendar).await,
            Self::Cancel(arguments) => cancel::run(session, arguments).await,
            Self::Move(arguments) => move_session::run(session, arguments).await,
            Self::ProposeMove(arguments) => propose_move::run(session, arguments).await,
            Self::WithdrawProposal(arguments) => propose_move::withdraw(session, arguments).await,
            Self::AcceptClaim(arguments) => claim::run(session, arguments).await,
            Self::PhoneBooking(arguments) => phone::book(session, arguments).await,
            Self::SendLink(arguments) => phone::send_link(session, arguments).await,
            Self::Release(arguments) => release::run(session, arguments).await,
            Self::PayAtDesk(money) => desk_money::pay(session, money).await,
            Self::GiveBack(money) => desk_money::give_back(session, money).await,
            Self::Refund(arguments) => refund::run(session, arguments).await,
            Self::RefundRequests(listing) => refund_requests::show(session, listing).await,
            Self::AnswerRefundRequest(answer) => refund_requests::answer(session, answer).await,
            Self::Mails(mails) => mails::run(session, mails).await,
            Self::Parked(parked) => parked::run(session, parked).await,
            Self::Orders(orders) => orders::run(session, orders).await,
            Self::Mark(arguments) => mark::run(session, arguments).await,
            Self::History(arguments) => history::run(session, arguments).await,
            Self::Dispute(dispute) => dispute::run(session, dispute).await,
            Self::Consent(consent) => consent::run(session, consent).await,
            Self::Members(members) => members::run(session, members).await,
            Self::Doctor(doctor) => doctor::run(session, doctor).await,
            Self::Balances(_) => ledger::balances(session).await,
            Self::Ledger(of) => ledger::entries(session, of).await,
        }
    }
}

/// The usage text of these commands.
pub fn usage() -> String {
    let mut lines = vec![INTRODUCTION.to_owned()];
    add_usage(&CommandLine::command(), "", &mut lines);
    lines.join("\n")
}

fn add_usage(above: &clap::Command, words: &str, lines: &mut Vec<String>) {
    for command in above.get_subcommands() {
        let name = format!("{words}{}", command.get_name());
        if !command.is_subcommand_required_set() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            lines.push(format!("  {name:<NAMES$}  {about}"));
        }
        add_usage(command, &format!("{name} "), lines);
    }
}

/// Whether words begin with the name of one of these commands, or of a group of them.
fn is_ours(words: &[String]) -> bool {
    words.first().is_some_and(|word| CommandLine::command().find_subcommand(word).is_some())
}

/// Runs the command that the words name. Returns none when it is not a staff command.
pub async fn run(
    environment: &Environment,
    paths: Option<&Paths>,
    words: &[String],
) -> Option<ExitCode> {
    if !is_ours(words) {
        return None;
    }
    let words = std::iter::once("sukoon").chain(words.iter().map(String::as_str));
    let line = CommandLine::try_parse_from(words);
    let line = match line.and_then(|line| line.command.check().map(|()| line)) {
        Ok(line) => line,
        Err(usage) => {
            // A closed terminal must not change the exit code.
            drop(usage.print());
            return Some(ExitCode::from(if usage.use_stderr() { 2 } else { 0 }));
        }
    };
    Some(match run_signed_in(environment, paths, &line).await {
        Ok(Outcome::Complete) => ExitCode::SUCCESS,
        Ok(Outcome::Partial) => ExitCode::FAILURE,
        Err(error) => {
            output::problem(&error);
            ExitCode::FAILURE
        }
    })
}

/// `sukoon owner code`: prints a code of the owner's authenticator app that was not used before,
/// for a sign-in in the browser.
pub async fn print_owner_code(paths: &Paths) -> Result<ExitCode> {
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
    line: &CommandLine,
) -> Result<Outcome> {
    let credentials = Credentials::find(environment, paths)?;
    let session = Session::open(credentials, line.options).await?;
    let outcome = line.command.run(&session).await;
    session.close().await;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_command_is_known_by_its_first_word() {
        for ours in ["today 2026-11-24", "parked retry booking-1", "mails --all", "orders lost"] {
            assert!(is_ours(&words(ours)), "{ours}");
        }
        for other in ["up", "--json today", ""] {
            assert!(!is_ours(&words(other)), "{other}");
        }
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
            "propose-move bkg_00000000000000000000000000000001 2026-11-24T11:00",
            "withdraw-proposal",
            "cancel bkg_1 --refund some",
            "phone-booking meditation",
            "phone-booking meditation 2026-11-24T11:00 --first-name Asha --last-name Rao",
            "phone-booking meditation tomorrow --first-name A --last-name B --email a@b.in",
            "send-link usr_1",
            "send-link",
            "refund bkg_1 4.999",
            "refund bkg_1 -5",
            "refund bkg_00000000000000000000000000000001 5 --release",
            "refund bkg_00000000000000000000000000000001 5 --kept",
            "refund bkg_00000000000000000000000000000001 5 --key short",
            "refund-requests open",
            "answer-refund-request R-17 --nothing",
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
            "parked",
            "parked list all",
            "orders lost",
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
    fn the_commands_are_declared_as_clap_wants_it() {
        CommandLine::command().debug_assert();
    }
}
