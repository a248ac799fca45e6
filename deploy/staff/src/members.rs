//! `sukoon members`: the members of the practice and the invitations to it.
use crate::arguments::{Key, Nothing, id};
use crate::confirm::require_confirmation;
use crate::dates::Zone;
use crate::labels::{address, list, text};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::words;
use anyhow::Result;
use contract::booking::v1::{InvitationState, StaffRole};
use machine::output;
use serde_json::{Value, json};

const SERVICE: &str = "booking.v1.OrganisationStaffService";

#[derive(Debug, clap::Args)]
pub(crate) struct Members {
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Who was invited, and what came of it.
    Invitations(Nothing),
    /// Invite an address by mail; it can accept for 48 hours.
    Invite(Invitation),
    /// Send an invitation again, with a new link.
    Resend(Resending),
    /// An invitation ends.
    Withdraw(OneInvitation),
    /// Give a member another role, such as a second owner.
    Role(NewRole),
    /// A member has no rights any more.
    Remove(OneMember),
}

#[derive(Debug, clap::Args)]
struct Practitioner {
    /// The practitioner that the member is.
    #[arg(long = "practitioner", value_name = "ID", default_value = "", hide_default_value = true)]
    id: String,
}

#[derive(Debug, clap::Args)]
struct Invitation {
    address: String,
    #[arg(long, value_name = ROLES, value_parser = words::read::<StaffRole>)]
    role: StaffRole,
    #[command(flatten)]
    practitioner: Practitioner,
    #[command(flatten)]
    key: Key,
}

#[derive(Debug, clap::Args)]
struct OneInvitation {
    #[arg(value_parser = |text: &str| id(text, "inv_"))]
    invitation: String,
}

#[derive(Debug, clap::Args)]
struct Resending {
    #[command(flatten)]
    of: OneInvitation,
    #[command(flatten)]
    key: Key,
}

#[derive(Debug, clap::Args)]
struct OneMember {
    #[arg(value_parser = |text: &str| id(text, "usr_"))]
    member: String,
}

#[derive(Debug, clap::Args)]
struct NewRole {
    #[command(flatten)]
    of: OneMember,
    #[arg(value_name = ROLES, value_parser = words::read::<StaffRole>)]
    role: StaffRole,
    #[command(flatten)]
    practitioner: Practitioner,
}

/// The roles as help shows them.
const ROLES: &str = "owner|admin|practitioner|front-desk";

pub(crate) async fn run(session: &Session, members: &Members) -> Result<Outcome> {
    match &members.act {
        None => list_all(session).await,
        Some(Act::Invitations(_)) => invitations(session).await,
        Some(Act::Invite(invitation)) => invite(session, invitation).await,
        Some(Act::Resend(resending)) => resend(session, resending).await,
        Some(Act::Withdraw(of)) => withdraw(session, of).await,
        Some(Act::Role(new)) => change_role(session, new).await,
        Some(Act::Remove(of)) => remove(session, of).await,
    }
}

fn role_label(value: &Value) -> String {
    words::word_of::<StaffRole>(&text(value))
}

/// "INVITATION_STATE_PENDING" as "pending".
fn state_label(value: &Value) -> String {
    words::word_of::<InvitationState>(&text(value))
}

async fn list_all(session: &Session) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListMembers"), &json!({})).await?;
    if session.options.json {
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

async fn invitations(session: &Session) -> Result<Outcome> {
    let answer = session.call(&format!("{SERVICE}/ListInvitations"), &json!({})).await?;
    if session.options.json {
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

async fn invite(session: &Session, arguments: &Invitation) -> Result<Outcome> {
    let request = json!({
        "email": arguments.address,
        "role": arguments.role.as_str_name(),
        "practitionerId": arguments.practitioner.id,
    });
    let method = format!("{SERVICE}/InviteMember");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    show(session, &answer, "The invitation is sent").await
}

async fn resend(session: &Session, arguments: &Resending) -> Result<Outcome> {
    let request = json!({ "invitationId": arguments.of.invitation });
    let method = format!("{SERVICE}/ResendInvitation");
    let answer = session.call_with_key(&method, request, &arguments.key.or_new()).await?;
    show(session, &answer, "The invitation is sent again").await
}

async fn show(session: &Session, answer: &Value, what: &str) -> Result<Outcome> {
    if session.options.json {
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

async fn withdraw(session: &Session, of: &OneInvitation) -> Result<Outcome> {
    let request = json!({ "invitationId": of.invitation });
    let answer = session.call(&format!("{SERVICE}/WithdrawInvitation"), &request).await?;
    done(session, &answer, "The invitation is withdrawn.");
    Ok(Outcome::Complete)
}

async fn change_role(session: &Session, arguments: &NewRole) -> Result<Outcome> {
    let request = json!({
        "userId": arguments.of.member,
        "role": arguments.role.as_str_name(),
        "practitionerId": arguments.practitioner.id,
    });
    let answer = session.call(&format!("{SERVICE}/ChangeRole"), &request).await?;
    done(session, &answer, "The role is changed, and counts from now on.");
    Ok(Outcome::Complete)
}

async fn remove(session: &Session, of: &OneMember) -> Result<Outcome> {
    require_confirmation(session.options, "Remove this member?")?;
    let request = json!({ "userId": of.member });
    let answer = session.call(&format!("{SERVICE}/RemoveMember"), &request).await?;
    done(session, &answer, "The member is removed, and has no rights any more.");
    Ok(Outcome::Complete)
}

fn done(session: &Session, answer: &Value, sentence: &str) {
    if session.options.json {
        output::line(answer);
    } else {
        output::line(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parsed;

    #[test]
    fn roles_and_ids_are_checked_before_the_sign_in() {
        let id = "00000000000040008000000000000001";
        for fine in [
            "invite priya@practice.example --role front_desk",
            &format!("role usr_{id} admin --practitioner meera"),
            &format!("resend inv_{id}"),
        ] {
            assert!(parsed::<Members>(fine).is_ok(), "{fine}");
        }
        for wrong in [
            "invite priya@practice.example",
            "invite priya@practice.example --role customer",
            &format!("role usr_{id} boss"),
            &format!("remove inv_{id}"),
        ] {
            assert!(parsed::<Members>(wrong).is_err(), "{wrong}");
        }
        assert_eq!(state_label(&json!("INVITATION_STATE_EXPIRED")), "expired");
        assert_eq!(role_label(&json!("STAFF_ROLE_FRONT_DESK")), "front-desk");
    }
}
