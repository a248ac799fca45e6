//! `sukoon mark`: whether a client came to a session.
use super::arguments::{Arguments, Usage, check_booking};
use super::labels::{client_name, state};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use super::table::printable;
use crate::output;
use anyhow::Result;
use serde_json::json;

/// The marks by the word that staff types.
const MARKS: [(&str, &str); 4] = [
    ("came", "ATTENDANCE_CAME"),
    ("late", "ATTENDANCE_LATE"),
    ("no-show", "ATTENDANCE_NO_SHOW"),
    ("unmarked", "ATTENDANCE_UNMARKED"),
];
/// The highest number of a session of a package.
const SESSIONS_MAX: i32 = 20;

pub(super) fn check(arguments: &Arguments) -> Result<(), Usage> {
    check_booking(arguments, 0)?;
    mark(arguments)?;
    number(arguments)?;
    check_key(arguments)
}

fn mark(arguments: &Arguments) -> Result<(&'static str, &'static str), Usage> {
    let said = arguments.at(1).to_lowercase();
    let known = MARKS.iter().find(|(word, _)| *word == said);
    known.copied().ok_or_else(|| Usage("say came, late, no-show or unmarked".to_owned()))
}

/// The session of a package; 0 for the last one that has begun.
fn number(arguments: &Arguments) -> Result<i32, Usage> {
    let said = arguments.option("session");
    if said.is_empty() {
        return Ok(0);
    }
    let number = said.parse().ok().filter(|number| (1..=SESSIONS_MAX).contains(number));
    number.ok_or_else(|| Usage("--session must be a number from 1".to_owned()))
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let (word, attendance) = mark(arguments)?;
    let request = json!({
        "bookingId": arguments.at(0), "attendance": attendance,
        "sessionNumber": number(arguments)?,
    });
    let method = "booking.v1.BookingStaffService/MarkAttendance";
    let answer = session.call_with_key(method, request, &key(arguments)).await?;
    if arguments.json() {
        output::line(answer);
    } else {
        let booking = &answer["booking"]["booking"];
        let name = printable(&client_name(booking));
        output::line(format_args!("{name}: {word}. The booking is {}.", state(booking)));
    }
    Ok(Outcome::Complete)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &[&str]) -> Arguments {
        let said: Vec<String> = said.iter().map(|word| (*word).to_owned()).collect();
        Arguments::read(&said, &["session", "key"], (2, 2)).unwrap()
    }

    #[test]
    fn a_mark_is_one_of_four_words() {
        for (word, attendance) in MARKS {
            let said = read(&["DD4CA70C", word]);
            assert_eq!((check(&said), mark(&said)), (Ok(()), Ok((word, attendance))));
        }
        assert!(check(&read(&["DD4CA70C", "perhaps"])).is_err());
        assert_eq!(number(&read(&["DD4CA70C", "late", "--session", "2"])), Ok(2));
        for wrong in ["0", "21", "two"] {
            assert!(check(&read(&["DD4CA70C", "late", "--session", wrong])).is_err(), "{wrong}");
        }
    }
}
