//! `sukoon members`: the members of the practice and the invitations to it.
use super::arguments::{Arguments, Usage, check_id};
use super::confirm::require_confirmation;
use super::dates::Zone;
use super::labels::{address, list, text};
use super::outcome::Outcome;
use super::session::{Session, check_key, key};
use crate::output;
use anyhow::Result;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.OrganisationStaffService";

/// The roles by their words here and on the wire.
const ROLES: [(&str, &str); 4] = [
    ("owner", "STAFF_ROLE_OWNER"),
    ("admin", "STAFF_ROLE_ADMIN"),
    ("practitioner", "STAFF_ROLE_PRACTITIONER"),
    ("front-desk", "STAFF_ROLE_FRONT_DESK"),
];

pub(super) fn check(_arguments: &Arguments) -> Result<(), Usage> {
    Ok(())
}

pub(super) fn check_invite(arguments: &Arguments) -> Result<(), Usage> {
    role(arguments.option("role"))?;
    check_key(arguments)
}

pub(super) fn check_invitation(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "inv_")?;
    check_key(arguments)
}

pub(super) fn check_role(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "usr_")?;
    role(arguments.at(1)).map(|_known| ())
}

pub(super) fn check_member(arguments: &Arguments) -> Result<(), Usage> {
    check_id(arguments, 0, "usr_")
}

fn role(word: &str) -> Result<&'static str, Usage> {
    // The word that `booking grant` has is understood, too.
    let word = word.replace('_', "-");
    let known = ROLES.iter().find(|(known, _wire)| *known == word);
    known
        .map(|(_word, wire)| *wire)
        .ok_or_else(|| Usage("a role is owner, admin, practitioner or front-desk".to_owned()))
}

fn role_label(value: &Value) -> String {
    let wire = text(value);
    let known = ROLES.iter().find(|(_word, known)| *known == wire);
    known.map_or_else(String::new, |(word, _wire)| (*word).to_owned())
}

/// "INVITATION_STATE_PENDING" as "pending".
fn state_label(value: &Value) -> String {
    text(value).trim_start_matches("INVITATION_STATE_").to_lowercase()
}

pub(super) async fn run(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListMembers"), &json!({})).await?;
    if arguments.json() {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let mut table = zone.table(&["MEMBER", "ADDRESS", "ROLE", "PRACTITIONER", "SINCE"]);
    for member in list(&answer["members"]) {
        table.row([
            text(&member["userId"]),
            address(&member["email"]),
            role_label(&member["role"]),
            text(&member["practitionerName"]),
            zone.moment(&member["sinceAt"]),
        ]);
    }
    table.show("There are no members.");
    Ok(Outcome::Complete)
}

pub(super) async fn invitations(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListInvitations"), &json!({})).await?;
    if arguments.json() {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let mut table = zone.table(&["INVITATION", "ADDRESS", "ROLE", "STATE", "UNTIL"]);
    for invitation in list(&answer["invitations"]) {
        table.row([
            text(&invitation["invitationId"]),
            address(&invitation["email"]),
            role_label(&invitation["role"]),
            state_label(&invitation["state"]),
            zone.moment(&invitation["expiresAt"]),
        ]);
    }
    table.show("There are no invitations.");
    Ok(Outcome::Complete)
}

pub(super) async fn invite(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "email": arguments.at(0),
        "role": role(arguments.option("role"))?,
        "practitionerId": arguments.option("practitioner"),
    });
    let method = format!("{SERVICE}/InviteMember");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    show(session, arguments, (&answer, "The invitation is sent")).await
}

pub(super) async fn resend(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "invitationId": arguments.at(0) });
    let method = format!("{SERVICE}/ResendInvitation");
    let answer = session.call_with_key(&method, request, &key(arguments)).await?;
    show(session, arguments, (&answer, "The invitation is sent again")).await
}

async fn show(
    session: &Session,
    arguments: &Arguments,
    (answer, what): (&Value, &str),
) -> Result<Outcome> {
    if arguments.json() {
        output::line(answer);
        return Ok(Outcome::Complete);
    }
    let zone = Zone::of(session).await?;
    let invitation = &answer["invitation"];
    output::line(format_args!(
        "{what} to {}, as {}. It can be accepted until {} {}: {}",
        address(&invitation["email"]),
        role_label(&invitation["role"]),
        zone.moment(&invitation["expiresAt"]),
        zone.label,
        text(&invitation["invitationId"]),
    ));
    Ok(Outcome::Complete)
}

pub(super) async fn withdraw(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({ "invitationId": arguments.at(0) });
    let answer = session.call(&format!("{SERVICE}/WithdrawInvitation"), &request).await?;
    done(arguments, &answer, "The invitation is withdrawn.");
    Ok(Outcome::Complete)
}

pub(super) async fn change_role(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    let request = json!({
        "userId": arguments.at(0),
        "role": role(arguments.at(1))?,
        "practitionerId": arguments.option("practitioner"),
    });
    let answer = session.call(&format!("{SERVICE}/ChangeRole"), &request).await?;
    done(arguments, &answer, "The role is changed, and counts from now on.");
    Ok(Outcome::Complete)
}

pub(super) async fn remove(session: &Session, arguments: &Arguments) -> Result<Outcome> {
    require_confirmation(arguments, "Remove this member?")?;
    let request = json!({ "userId": arguments.at(0) });
    let answer = session.call(&format!("{SERVICE}/RemoveMember"), &request).await?;
    done(arguments, &answer, "The member is removed, and has no rights any more.");
    Ok(Outcome::Complete)
}

fn done(arguments: &Arguments, answer: &Value, sentence: &str) {
    if arguments.json() {
        output::line(answer);
    } else {
        output::line(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(said: &str, range: (usize, usize)) -> Arguments {
        let said: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        Arguments::read(&said, &["role", "practitioner", "key"], range).unwrap()
    }

    #[test]
    fn a_role_is_one_of_four_words() {
        for (word, wire) in ROLES {
            assert_eq!(role(word), Ok(wire));
            assert_eq!(role_label(&json!(wire)), word);
        }
        assert_eq!(role("front_desk"), Ok("STAFF_ROLE_FRONT_DESK"));
        for wrong in ["", "none", "Owner", "customer"] {
            assert!(role(wrong).is_err(), "{wrong}");
        }
        assert!(check_invite(&read("priya@practice.example", (1, 1))).is_err());
        assert!(check_invite(&read("priya@practice.example --role admin", (1, 1))).is_ok());
    }

    #[test]
    fn ids_are_checked_before_the_sign_in() {
        let member = "usr_00000000000040008000000000000001";
        assert!(check_role(&read(&format!("{member} admin"), (2, 2))).is_ok());
        assert!(check_role(&read(&format!("{member} boss"), (2, 2))).is_err());
        assert!(check_member(&read("inv_00000000000040008000000000000001", (1, 1))).is_err());
        assert!(check_invitation(&read("inv_00000000000040008000000000000001", (1, 1))).is_ok());
        assert_eq!(state_label(&json!("INVITATION_STATE_EXPIRED")), "expired");
    }
}
