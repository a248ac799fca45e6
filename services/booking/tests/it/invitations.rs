//! Invitations to the practice's staff: only the owner of the invited address gets a membership,
//! and once.

use contract::booking::v1::{
    AcceptInvitationRequest, DeclineInvitationRequest, GetInvitationRequest,
    GetStaffInvitationRequest, GetStaffInvitationResponse, Invitation, InvitationState,
    InviteMemberRequest, ListInvitationsRequest, ListMyMembershipsRequest, Membership,
    ResendInvitationRequest, StaffRole, WithdrawInvitationRequest,
};
use futures::future::join_all;
use kernel::Id;
use kernel::id::Customer;
use runtime::status::detail_of;
use staff::Role;
use tonic::{Code, Response, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, customer};

const OWNER: u128 = 901;
const ADMIN: u128 = 902;
const INVITED: u128 = 910;
const ADDRESS: &str = "priya@practice.example";
const HOURS_48: i64 = 48 * 60;

async fn practice() -> GrpcHarness {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(OWNER), Some(Role::Owner)).await;
    harness.grant(customer(ADMIN), Some(Role::Admin)).await;
    harness
}

fn reason<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    match answer {
        Ok(_) => "done".to_owned(),
        Err(status) => detail_of(&status).unwrap().reason,
    }
}

async fn try_invite(
    harness: &GrpcHarness,
    by: u128,
    (email, role): (&str, StaffRole),
) -> Result<Invitation, Status> {
    let asked = InviteMemberRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        email: email.to_owned(),
        role: role.into(),
        practitioner_id: String::new(),
    };
    let answer = harness.organisation_staff().invite_member(harness.by(customer(by), asked)).await;
    answer.map(|answer| answer.into_inner().invitation.unwrap())
}

async fn invite(harness: &GrpcHarness, role: StaffRole) -> Invitation {
    try_invite(harness, OWNER, (ADDRESS, role)).await.unwrap()
}

/// What the invitation's mail is made of.
async fn mailed(
    harness: &GrpcHarness,
    invitation: &Invitation,
) -> Result<GetStaffInvitationResponse, Status> {
    let invitation_id = invitation.invitation_id.clone();
    let asked = GetStaffInvitationRequest { invitation_id };
    let answer = harness.internal("notifications").get_staff_invitation(asked).await;
    answer.map(Response::into_inner)
}

async fn accept(
    harness: &GrpcHarness,
    person: Id<Customer>,
    address: (&str, bool),
    key: &str,
) -> String {
    let asked = AcceptInvitationRequest { key: key.to_owned() };
    let asked = harness.with_address(person, address, asked);
    reason(harness.organisation().accept_invitation(asked).await)
}

async fn role_of(harness: &GrpcHarness, person: Id<Customer>) -> Option<StaffRole> {
    let asked = harness.by(person, ListMyMembershipsRequest {});
    let own = harness.organisation().list_my_memberships(asked).await.unwrap().into_inner();
    own.memberships.first().map(Membership::role)
}

async fn state(harness: &GrpcHarness) -> InvitationState {
    let asked = harness.by(customer(OWNER), ListInvitationsRequest {});
    let listed = harness.organisation_staff().list_invitations(asked).await.unwrap();
    listed.into_inner().invitations.first().unwrap().state()
}

#[tokio::test]
async fn the_owner_of_the_invited_address_joins_with_the_role() {
    let harness = practice().await;
    let invitation = invite(&harness, StaffRole::FrontDesk).await;
    let mail = mailed(&harness, &invitation).await.unwrap();
    assert_eq!((mail.email.as_str(), mail.role.as_str()), (ADDRESS, "front_desk"));
    let asked = GetInvitationRequest { key: mail.key.clone() };
    let offer = harness.organisation().get_invitation(asked).await.unwrap().into_inner();
    let offer = offer.invitation.unwrap();
    assert_eq!(offer.state(), InvitationState::Pending);
    assert_eq!((offer.email.as_str(), offer.role()), (ADDRESS, StaffRole::FrontDesk));
    let person = customer(INVITED);
    assert_eq!(accept(&harness, person, (ADDRESS, true), &mail.key).await, "done");
    assert_eq!(role_of(&harness, person).await, Some(StaffRole::FrontDesk));
    // The same account may repeat it; the key gives nothing to another one, also of that address.
    assert_eq!(accept(&harness, person, (ADDRESS, true), &mail.key).await, "done");
    let other = customer(911);
    assert_eq!(accept(&harness, other, (ADDRESS, true), &mail.key).await, "INVITATION_ENDED");
    assert_eq!(role_of(&harness, other).await, None);
    assert_eq!(state(&harness).await, InvitationState::Accepted);
    // A member who was removed does not come back by the old link.
    harness.grant(person, None).await;
    assert_eq!(accept(&harness, person, (ADDRESS, true), &mail.key).await, "INVITATION_ENDED");
    assert_eq!(role_of(&harness, person).await, None);
}

/// The attack of finding H4: a stranger registers the address before its owner is invited.
#[tokio::test]
async fn an_account_that_has_not_proved_the_address_gets_nothing() {
    let harness = practice().await;
    let invitation = invite(&harness, StaffRole::Owner).await;
    let key = mailed(&harness, &invitation).await.unwrap().key;
    let stranger = customer(666);
    for _ in 0..2 {
        let told = accept(&harness, stranger, (ADDRESS, false), &key).await;
        assert_eq!(told, "ADDRESS_NOT_PROVED");
        let asked = DeclineInvitationRequest { key: key.clone() };
        let asked = harness.with_address(stranger, (ADDRESS, false), asked);
        let declined = harness.organisation().decline_invitation(asked).await;
        refused(declined, Code::FailedPrecondition, "ADDRESS_NOT_PROVED", "");
        assert_eq!(role_of(&harness, stranger).await, None);
        assert_eq!(state(&harness).await, InvitationState::Pending);
    }
    // Another proved address, and one that only looks like it, neither.
    for address in ["mallory@practice.example", "priya@practice.example.evil.example"] {
        let told = accept(&harness, stranger, (address, true), &key).await;
        assert_eq!(told, "INVITATION_FOR_ANOTHER_ADDRESS");
    }
    // The owner of the address proves it later, with the same account's id or another one.
    let owner_of_address = customer(INVITED);
    assert_eq!(accept(&harness, owner_of_address, (ADDRESS, true), &key).await, "done");
    assert_eq!(role_of(&harness, owner_of_address).await, Some(StaffRole::Owner));
    assert_eq!(role_of(&harness, stranger).await, None);
}

#[tokio::test]
async fn keys_are_guessed_neither_from_ids_nor_from_the_table() {
    let harness = practice().await;
    let invitation = invite(&harness, StaffRole::Admin).await;
    let key = mailed(&harness, &invitation).await.unwrap().key;
    let (token, hash): (uuid::Uuid, Vec<u8>) =
        sqlx::query_as("select token_id, token_hash from staff_invitations")
            .fetch_one(harness.world.app.store.pool())
            .await
            .unwrap();
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let wrong = [
        String::new(),
        invitation.invitation_id.clone(),
        token.to_string(),
        hex,
        key[..42].to_owned(),
        format!("{}A", &key[..42]),
        harness.world.app.page_keys.key(Id::from_uuid(token)),
    ];
    for wrong in wrong.iter().filter(|wrong| **wrong != key) {
        let asked = GetInvitationRequest { key: wrong.clone() };
        let read = harness.organisation().get_invitation(asked).await;
        refused(read, Code::NotFound, "INVITATION_NOT_FOUND", "");
        let told = accept(&harness, customer(INVITED), (ADDRESS, true), wrong).await;
        assert_eq!(told, "INVITATION_NOT_FOUND", "{wrong}");
    }
    // Neither the log, nor the audit, nor the keys of requests have the address or the key.
    for sql in [
        "select count(*) from events where payload::text like '%practice.example%'",
        "select count(*) from audit_log where subject like '%practice.example%'",
    ] {
        assert_eq!(harness.world.count(sql).await, 0, "{sql}");
    }
    let found: i64 = sqlx::query_scalar("select count(*) from events where payload::text like $1")
        .bind(format!("%{key}%"))
        .fetch_one(harness.world.app.store.pool())
        .await
        .unwrap();
    assert_eq!(found, 0);
}

#[tokio::test]
async fn an_invitation_ends_after_48_hours_and_is_sent_again_with_another_key() {
    let harness = practice().await;
    let invitation = invite(&harness, StaffRole::FrontDesk).await;
    let first = mailed(&harness, &invitation).await.unwrap().key;
    harness.world.minutes_later(HOURS_48 + 1).await;
    let person = customer(INVITED);
    assert_eq!(accept(&harness, person, (ADDRESS, true), &first).await, "INVITATION_ENDED");
    assert_eq!(state(&harness).await, InvitationState::Expired);
    assert!(mailed(&harness, &invitation).await.is_err());
    let resend = async |key: &str| {
        let asked = ResendInvitationRequest {
            idempotency_key: key.to_owned(),
            invitation_id: invitation.invitation_id.clone(),
        };
        let asked = harness.by(customer(ADMIN), asked);
        reason(harness.organisation_staff().resend_invitation(asked).await)
    };
    assert_eq!(resend("resend-0001").await, "done");
    assert_eq!(resend("resend-0001").await, "done");
    let second = mailed(&harness, &invitation).await.unwrap().key;
    assert_ne!(first, second);
    assert_eq!(accept(&harness, person, (ADDRESS, true), &first).await, "INVITATION_NOT_FOUND");
    let stream = format!("invitation-{}", id_of(&invitation));
    let mails = harness.world.history(&stream).await;
    assert_eq!(mails, ["StaffInvitationMailRequested", "StaffInvitationMailRequested"]);
    for number in 3..=6 {
        assert_eq!(resend(&format!("resend-000{number}")).await, "done");
    }
    assert_eq!(resend("resend-0007").await, "TOO_MANY_INVITATIONS");
    let last = mailed(&harness, &invitation).await.unwrap().key;
    assert_eq!(accept(&harness, person, (ADDRESS, true), &last).await, "done");
    assert_eq!(resend("resend-0008").await, "INVITATION_ENDED");
}

fn id_of(invitation: &Invitation) -> uuid::Uuid {
    let id: Id<kernel::id::StaffInvitation> = invitation.invitation_id.parse().unwrap();
    id.uuid()
}

#[tokio::test]
async fn what_was_withdrawn_or_declined_gives_no_membership() {
    let harness = practice().await;
    let person = customer(INVITED);
    let first = invite(&harness, StaffRole::FrontDesk).await;
    let key = mailed(&harness, &first).await.unwrap().key;
    let withdraw = WithdrawInvitationRequest { invitation_id: first.invitation_id.clone() };
    for _ in 0..2 {
        let asked = harness.by(customer(ADMIN), withdraw.clone());
        let answer = harness.organisation_staff().withdraw_invitation(asked).await.unwrap();
        let state = answer.into_inner().invitation.unwrap().state();
        assert_eq!(state, InvitationState::Withdrawn);
    }
    assert_eq!(accept(&harness, person, (ADDRESS, true), &key).await, "INVITATION_ENDED");
    assert!(mailed(&harness, &first).await.is_err());
    // The link says that it has ended, and names no person.
    let asked = GetInvitationRequest { key };
    let offer = harness.organisation().get_invitation(asked).await.unwrap().into_inner();
    let offer = offer.invitation.unwrap();
    assert_eq!(offer.state(), InvitationState::Withdrawn);
    assert_eq!([offer.email, offer.invited_by, offer.practitioner_name].concat(), "");
    let second = invite(&harness, StaffRole::FrontDesk).await;
    let key = mailed(&harness, &second).await.unwrap().key;
    for _ in 0..2 {
        let asked = DeclineInvitationRequest { key: key.clone() };
        let asked = harness.with_address(person, (ADDRESS, true), asked);
        assert_eq!(reason(harness.organisation().decline_invitation(asked).await), "done");
    }
    assert_eq!(accept(&harness, person, (ADDRESS, true), &key).await, "INVITATION_ENDED");
    assert_eq!(role_of(&harness, person).await, None);
    let asked = harness.by(customer(OWNER), withdraw);
    harness.organisation_staff().withdraw_invitation(asked).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_accounts_and_one_withdrawal_at_once_one_is_decided() {
    let harness = practice().await;
    for round in 0..4 {
        let address = format!("priya{round}@practice.example");
        let new = (address.as_str(), StaffRole::FrontDesk);
        let invitation = try_invite(&harness, OWNER, new).await.unwrap();
        let key = mailed(&harness, &invitation).await.unwrap().key;
        let people: Vec<_> = (0..4).map(|number| customer(2000 + round * 10 + number)).collect();
        let accepts = people.iter().map(|person| accept(&harness, *person, (&address, true), &key));
        let withdraw = WithdrawInvitationRequest { invitation_id: invitation.invitation_id };
        let mut staff = harness.organisation_staff();
        let withdrawal = staff.withdraw_invitation(harness.by(customer(OWNER), withdraw));
        let (told, withdrawn) = tokio::join!(join_all(accepts), withdrawal);
        let joined = told.iter().filter(|told| *told == "done").count();
        assert_eq!(joined + usize::from(withdrawn.is_ok()), 1, "{told:?} {withdrawn:?}");
    }
}

#[tokio::test]
async fn no_member_invites_above_the_own_role_and_a_lost_role_takes_its_invitations_along() {
    let harness = practice().await;
    let above = try_invite(&harness, ADMIN, (ADDRESS, StaffRole::Owner)).await;
    refused(above, Code::PermissionDenied, "ROLE_ABOVE_OWN", "");
    let none = try_invite(&harness, ADMIN, (ADDRESS, StaffRole::Unspecified)).await;
    refused(none, Code::InvalidArgument, "INVALID_ROLE", "role");
    let bad = try_invite(&harness, ADMIN, ("priya@", StaffRole::Admin)).await;
    refused(bad, Code::InvalidArgument, "INVALID_EMAIL", "email");
    let outsider = try_invite(&harness, INVITED, (ADDRESS, StaffRole::Admin)).await;
    refused(outsider, Code::PermissionDenied, "STAFF_ONLY", "");
    // An owner's invitation is not an admin's to end.
    let owners = invite(&harness, StaffRole::Owner).await;
    let withdraw = WithdrawInvitationRequest { invitation_id: owners.invitation_id.clone() };
    let asked = harness.by(customer(ADMIN), withdraw);
    let withdrawn = harness.organisation_staff().withdraw_invitation(asked).await;
    refused(withdrawn, Code::PermissionDenied, "ROLE_ABOVE_OWN", "");
    // An admin invites an accomplice, and is removed before that one accepts.
    let other = ("mallory@practice.example", StaffRole::Admin);
    let invitation = try_invite(&harness, ADMIN, other).await.unwrap();
    let key = mailed(&harness, &invitation).await.unwrap().key;
    harness.grant(customer(ADMIN), None).await;
    let told = accept(&harness, customer(666), ("mallory@practice.example", true), &key).await;
    assert_eq!(told, "INVITATION_ENDED");
    assert_eq!(role_of(&harness, customer(666)).await, None);
    let key = mailed(&harness, &owners).await.unwrap().key;
    assert_eq!(accept(&harness, customer(INVITED), (ADDRESS, true), &key).await, "done");
}

#[tokio::test]
async fn an_address_has_one_pending_invitation_and_the_answer_tells_nothing_of_accounts() {
    let harness = practice().await;
    let mut known = invite(&harness, StaffRole::FrontDesk).await;
    // booking knows of no account but those of members, so it cannot answer otherwise.
    let unknown = ("nobody@practice.example", StaffRole::FrontDesk);
    let mut unknown = try_invite(&harness, OWNER, unknown).await.unwrap();
    for invitation in [&mut known, &mut unknown] {
        invitation.invitation_id.clear();
        invitation.email.clear();
        (invitation.invited_at, invitation.expires_at) = (None, None);
    }
    assert_eq!(known, unknown);
    let again = try_invite(&harness, OWNER, ("Priya@Practice.Example", StaffRole::Admin)).await;
    refused(again, Code::AlreadyExists, "ALREADY_INVITED", "email");
    harness.world.minutes_later(HOURS_48 + 1).await;
    let anew = invite(&harness, StaffRole::Admin).await;
    let key = mailed(&harness, &anew).await.unwrap().key;
    assert_eq!(accept(&harness, customer(INVITED), (ADDRESS, true), &key).await, "done");
    assert_eq!(role_of(&harness, customer(INVITED)).await, Some(StaffRole::Admin));
    let member = try_invite(&harness, OWNER, (ADDRESS, StaffRole::Owner)).await;
    refused(member, Code::AlreadyExists, "ALREADY_MEMBER", "email");
}

#[tokio::test]
async fn a_practice_sends_so_many_invitations_a_day_and_no_more() {
    let harness = practice().await;
    harness
        .world
        .db
        .as_owner(
            "insert into staff_invitations (invitation_id, practice_id, email, role, invited_by,
                 invited_at, token_id, token_hash, expires_at)
             select gen_random_uuid(), practice_id, 'p' || n || '@practice.example', 'admin',
                    gen_random_uuid(), clock_now(), gen_random_uuid(),
                    sha256(n::text::bytea), clock_now() + interval '2 days'
             from practices, generate_series(1, 100) as n",
        )
        .await
        .unwrap();
    let refusal = try_invite(&harness, OWNER, (ADDRESS, StaffRole::Admin)).await;
    refused(refusal, Code::ResourceExhausted, "TOO_MANY_INVITATIONS", "");
    harness.world.minutes_later(24 * 60 + 1).await;
    try_invite(&harness, OWNER, (ADDRESS, StaffRole::Admin)).await.unwrap();
}
