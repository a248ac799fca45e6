//! The members of the practice: who may change whom, the last owner, and changes at the same time.

use contract::booking::v1::{
    ChangeRoleRequest, LeavePracticeRequest, ListMembersRequest, ListMembershipChangesRequest,
    ListMyMembershipsRequest, MembershipChange, MembershipChangeKind, RemoveMemberRequest,
    RenewCalendarFeedRequest, StaffRole,
};
use futures::future::join_all;
use kernel::Id;
use kernel::id::Customer;
use runtime::status::detail_of;
use staff::Role;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, customer};

const OWNER: u128 = 901;
const ADMIN: u128 = 902;
const PRACTITIONER: u128 = 903;
const DESK: u128 = 904;
const CLIENT: u128 = 905;

async fn practice() -> GrpcHarness {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    for (number, role) in [
        (OWNER, Role::Owner),
        (ADMIN, Role::Admin),
        (PRACTITIONER, Role::Practitioner),
        (DESK, Role::FrontDesk),
    ] {
        harness.grant(customer(number), Some(role)).await;
    }
    harness
}

fn reason<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    match answer {
        Ok(_) => "done".to_owned(),
        Err(status) => detail_of(&status).unwrap().reason,
    }
}

async fn change(harness: &GrpcHarness, by: u128, of: u128, role: StaffRole) -> String {
    let asked = ChangeRoleRequest {
        user_id: customer(of).to_string(),
        role: role.into(),
        ..ChangeRoleRequest::default()
    };
    let answer = harness.organisation_staff().change_role(harness.by(customer(by), asked)).await;
    reason(answer)
}

async fn remove(harness: &GrpcHarness, by: u128, of: u128) -> String {
    let asked = RemoveMemberRequest { user_id: customer(of).to_string() };
    let answer = harness.organisation_staff().remove_member(harness.by(customer(by), asked)).await;
    reason(answer)
}

async fn leave(harness: &GrpcHarness, person: Id<Customer>) -> String {
    let asked = harness.by(person, LeavePracticeRequest {});
    reason(harness.organisation().leave_practice(asked).await)
}

async fn owners(harness: &GrpcHarness) -> i64 {
    let sql = "select count(*) from staff_members where role = 'owner' and active";
    harness.world.count(sql).await
}

#[tokio::test]
async fn only_managers_see_and_change_members_and_admins_no_owners() {
    let harness = practice().await;
    for number in [PRACTITIONER, DESK, CLIENT] {
        let asked = harness.by(customer(number), ListMembersRequest {});
        let told = reason(harness.organisation_staff().list_members(asked).await);
        let expected = if number == CLIENT { "STAFF_ONLY" } else { "ROLE_NOT_ALLOWED" };
        assert_eq!(told, expected);
        assert_eq!(change(&harness, number, number, StaffRole::Owner).await, expected);
        assert_eq!(remove(&harness, number, OWNER).await, expected);
    }
    for (of, role) in
        [(ADMIN, StaffRole::Owner), (OWNER, StaffRole::Admin), (DESK, StaffRole::Owner)]
    {
        assert_eq!(change(&harness, ADMIN, of, role).await, "ROLE_ABOVE_OWN");
    }
    assert_eq!(remove(&harness, ADMIN, OWNER).await, "ROLE_ABOVE_OWN");
    assert_eq!(change(&harness, ADMIN, DESK, StaffRole::Admin).await, "done");
    assert_eq!(change(&harness, OWNER, DESK, StaffRole::Unspecified).await, "INVALID_ROLE");
    assert_eq!(change(&harness, OWNER, CLIENT, StaffRole::Owner).await, "MEMBER_NOT_FOUND");
    assert_eq!(remove(&harness, OWNER, CLIENT).await, "MEMBER_NOT_FOUND");
    let asked = harness.by(customer(ADMIN), ListMembersRequest {});
    let listed = harness.organisation_staff().list_members(asked).await.unwrap().into_inner();
    let seen: Vec<_> = listed
        .members
        .iter()
        .map(|member| (member.role(), member.is_caller, member.may_change))
        .collect();
    assert_eq!(
        seen,
        [
            (StaffRole::Owner, false, false),
            (StaffRole::Admin, true, true),
            (StaffRole::Admin, false, true),
            (StaffRole::Practitioner, false, true),
        ]
    );
}

#[tokio::test]
async fn a_removed_member_has_no_rights_at_the_next_request() {
    let harness = practice().await;
    assert_eq!(remove(&harness, OWNER, ADMIN).await, "done");
    // A repeated call changes nothing.
    assert_eq!(remove(&harness, OWNER, ADMIN).await, "done");
    let asked = harness.by(customer(ADMIN), ListMembersRequest {});
    let refusal = harness.organisation_staff().list_members(asked).await;
    refused(refusal, Code::PermissionDenied, "STAFF_ONLY", "");
    let asked = harness.by(customer(ADMIN), ListMyMembershipsRequest {});
    let own = harness.organisation().list_my_memberships(asked).await.unwrap().into_inner();
    assert_eq!(own.memberships, []);
    let rows = "select count(*) from membership_changes where kind = 'removed'";
    assert_eq!(harness.world.count(rows).await, 1);
}

#[tokio::test]
async fn the_last_owner_stays_and_hands_over_by_making_another_owner() {
    let harness = practice().await;
    assert_eq!(leave(&harness, customer(OWNER)).await, "LAST_OWNER");
    assert_eq!(change(&harness, OWNER, OWNER, StaffRole::Admin).await, "LAST_OWNER");
    assert_eq!(remove(&harness, OWNER, OWNER).await, "LAST_OWNER");
    assert_eq!(change(&harness, OWNER, ADMIN, StaffRole::Owner).await, "done");
    assert_eq!(leave(&harness, customer(OWNER)).await, "done");
    assert_eq!(leave(&harness, customer(OWNER)).await, "STAFF_ONLY");
    assert_eq!(leave(&harness, customer(ADMIN)).await, "LAST_OWNER");
    // Every other member may leave.
    for number in [PRACTITIONER, DESK] {
        assert_eq!(leave(&harness, customer(number)).await, "done");
    }
    let asked = harness.by(customer(ADMIN), ListMembershipChangesRequest {});
    let changes = harness.organisation_staff().list_membership_changes(asked).await.unwrap();
    let kinds: Vec<_> = changes.into_inner().changes.iter().map(MembershipChange::kind).collect();
    use MembershipChangeKind::{Granted, Left, RoleChanged};
    assert_eq!(kinds, [Left, Left, Left, RoleChanged, Granted, Granted, Granted, Granted]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_owners_who_leave_at_once_one_stays() {
    let harness = practice().await;
    for _ in 0..5 {
        harness.grant(customer(OWNER), Some(Role::Owner)).await;
        harness.grant(customer(ADMIN), Some(Role::Owner)).await;
        let both = [OWNER, ADMIN].map(|number| leave(&harness, customer(number)));
        let mut told = join_all(both).await;
        told.sort();
        assert_eq!(told, ["LAST_OWNER", "done"]);
        assert_eq!(owners(&harness).await, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_owners_who_remove_each_other_one_stays() {
    let harness = practice().await;
    for _ in 0..5 {
        harness.grant(customer(OWNER), Some(Role::Owner)).await;
        harness.grant(customer(ADMIN), Some(Role::Owner)).await;
        let told = tokio::join!(remove(&harness, OWNER, ADMIN), remove(&harness, ADMIN, OWNER));
        assert_eq!(owners(&harness).await, 1, "{told:?}");
        assert!(told.0 == "done" || told.1 == "done", "{told:?}");
    }
}

#[tokio::test]
async fn the_audit_trail_never_changes() {
    let harness = practice().await;
    for sql in [
        "update membership_changes set actor = 'operator'",
        "delete from membership_changes",
        "truncate membership_changes",
    ] {
        assert!(harness.world.db.as_owner(sql).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn an_account_sees_its_own_membership_and_its_proved_address_alone_is_kept() {
    let harness = practice().await;
    let own = async |proved: bool| {
        let address = ("Meera@Practice.example", proved);
        let asked =
            harness.with_address(customer(PRACTITIONER), address, ListMyMembershipsRequest {});
        let answer = harness.organisation().list_my_memberships(asked).await.unwrap();
        answer.into_inner().memberships
    };
    let first = own(false).await;
    assert_eq!(first[0].role(), StaffRole::Practitioner);
    assert!(!first[0].practice_name.is_empty());
    assert_eq!(harness.world.count("select count(*) from staff_addresses").await, 0);
    own(true).await;
    let kept: String = sqlx::query_scalar("select email from staff_addresses")
        .fetch_one(harness.world.app.store.pool())
        .await
        .unwrap();
    assert_eq!(kept, "meera@practice.example");
    // With the membership the address goes.
    assert_eq!(leave(&harness, customer(PRACTITIONER)).await, "done");
    assert_eq!(harness.world.count("select count(*) from staff_addresses").await, 0);
}

#[tokio::test]
async fn a_practitioner_who_goes_keeps_no_secret_address_of_the_calendar() {
    let harness = practice().await;
    let feeds = "select count(*) from calendar_feeds";
    let renew = async |key: &str| {
        let asked = RenewCalendarFeedRequest {
            idempotency_key: key.to_owned(),
            ..RenewCalendarFeedRequest::default()
        };
        let asked = harness.by(customer(PRACTITIONER), asked);
        harness.calendar_staff().renew_calendar_feed(asked).await.unwrap();
    };
    renew("renew-0001").await;
    assert_eq!(harness.world.count(feeds).await, 1);
    assert_eq!(remove(&harness, ADMIN, PRACTITIONER).await, "done");
    assert_eq!(harness.world.count(feeds).await, 0);
    // Nor when the operator ends the role, or gives one without a calendar.
    for role in [None, Some(Role::FrontDesk)] {
        harness.grant(customer(PRACTITIONER), Some(Role::Practitioner)).await;
        renew(&format!("renew-of-{role:?}")).await;
        assert_eq!(harness.world.count(feeds).await, 1);
        harness.grant(customer(PRACTITIONER), role).await;
        assert_eq!(harness.world.count(feeds).await, 0, "{role:?}");
    }
}
