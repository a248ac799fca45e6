//! `sukoon consent verify`: whether a consent file is one that the practice handed out, unchanged;
//! and `consent withdrawn`: sessions to come whose clients have withdrawn their consent.
use crate::agreement::way;
use crate::arguments::Nothing;
use crate::dates::Zone;
use crate::labels::{address, client_name, contact, list, text};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::table::printable;
use anyhow::{Context as _, Result, bail};
use machine::output;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The longest file that booking verifies, in bytes. What is longer is not sent.
const BYTES_MAX: u64 = 200_000;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Consent {
    /// Sessions to come whose client has withdrawn the consent.
    Withdrawn(Nothing),
    /// Whether a consent file is ours and unchanged, and who gave it.
    Verify(Verification),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Verification {
    file: PathBuf,
}

pub(crate) async fn run(session: &Session, consent: &Consent) -> Result<Outcome> {
    match consent {
        Consent::Withdrawn(_) => withdrawn(session).await,
        Consent::Verify(verification) => verify(session, &verification.file).await,
    }
}

async fn verify(session: &Session, path: &Path) -> Result<Outcome> {
    let content = read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let method = "booking.v1.ConsentStaffService/VerifyConsentFile";
    let answer = session.call(method, &json!({ "content": content })).await?;
    let genuine = answer["genuine"].as_bool().unwrap_or_default();
    if session.options.json {
        output::line(&answer);
    } else if genuine {
        genuine_lines(&Zone::of(session).await?, &answer["consent"]);
    } else {
        output::line("Not genuine: it was changed, or this practice did not hand it out.");
    }
    Ok(if genuine { Outcome::Complete } else { Outcome::Partial })
}

async fn withdrawn(session: &Session) -> Result<Outcome> {
    let method = "booking.v1.ConsentStaffService/ListWithdrawnConsents";
    let answer = session.call(method, &json!({})).await?;
    if session.options.json {
        output::line(&answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let found = list(&answer["bookings"]);
    if found.is_empty() {
        output::line("No client with a session to come has withdrawn the consent.");
    }
    for one in found {
        let booking = &one["booking"];
        let starts = zone.moment(&booking["sessions"][0]["startsAt"]);
        let (id, client) = (text(&booking["bookingId"]), client_name(booking));
        let at = zone.moment(&one["withdrawnAt"]);
        output::line(format_args!(
            "{starts}  {id}  {client}, {}: withdrawn on {at} {}",
            contact(booking),
            zone.label,
        ));
    }
    Ok(Outcome::Complete)
}

/// The text of a file; one that is too long, or no text, is no consent file.
fn read(path: &Path) -> Result<String> {
    let mut content = String::new();
    let mut file = File::open(path)?.take(BYTES_MAX.saturating_add(1));
    file.read_to_string(&mut content)?;
    if u64::try_from(content.len()).is_ok_and(|bytes| bytes <= BYTES_MAX) {
        return Ok(content);
    }
    bail!("it is longer than any consent file")
}

fn genuine_lines(zone: &Zone, consent: &Value) {
    output::line("Genuine: this practice handed out exactly these words.");
    if consent.is_null() {
        output::line("The consent itself was erased from the practice's records.");
        return;
    }
    let (name, email) = (text(&consent["fullName"]), address(&consent["email"]));
    let given = zone.moment(&consent["givenAt"]);
    output::line(format_args!("Given by {name} <{email}> on {given} {}.", zone.label));
    output::line(printable(&way(zone, consent)));
    let withdrawn = zone.moment(&consent["withdrawnAt"]);
    if withdrawn.is_empty() {
        output::line("It is in force.");
    } else {
        output::line(format_args!("It was withdrawn on {withdrawn} {}.", zone.label));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn only_a_text_of_a_likely_length_is_sent() {
        let path = std::env::temp_dir().join(format!("consent-{}.txt", std::process::id()));
        fs::write(&path, "Record: cns_1").unwrap();
        assert_eq!(read(&path).unwrap(), "Record: cns_1");
        fs::write(&path, vec![b'a'; 200_001]).unwrap();
        assert!(read(&path).is_err());
        fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
        assert!(read(&path).is_err());
        fs::remove_file(&path).unwrap();
        assert!(read(&path).is_err());
    }
}
