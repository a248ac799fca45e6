//! The second factor of staff: when calls ask for it, and that all of them do.

use contract::booking::v1::{
    CancelBookingRequest, CancellationRefund, CancelledBy, GetOwnRoleRequest, GetStaffRoleRequest,
    ListBookingsRequest, ListMembersRequest, ListMyMembershipsRequest,
};
use kernel::Id;
use kernel::id::Customer;
use runtime::status::detail_of;
use staff::{LISTED_NETWORK, Level, Role};
use testkit::calls::{call_empty, staff_methods};
use tonic::{Request, Status};

use crate::grpc_harness::GrpcHarness;
use crate::world::customer;

const REQUIRED: &str = "SECOND_FACTOR_REQUIRED";
const TOO_OLD: &str = "SECOND_FACTOR_TOO_OLD";

/// A call that tells the caller's own role and nothing more.
const OWN_ROLE: &str = "booking.v1.BookingStaffService/GetOwnRole";
/// A call of staff in a service for all accounts.
const LEAVE: &str = "booking.v1.OrganisationService/LeavePractice";

fn owner() -> Id<Customer> {
    customer(901)
}

async fn staffed() -> GrpcHarness {
    let harness = GrpcHarness::new().await;
    harness.grant(owner(), Some(Role::Owner)).await;
    harness
}

/// Ends the time in which members need no second factor.
async fn end_grace(harness: &GrpcHarness) {
    let sql = "update staff_members set second_factor_by = clock_timestamp() - interval '1 second'";
    harness.world.db.as_owner(sql).await.unwrap();
}

/// Puts the members into the time that those of before the rule were given.
async fn begin_grace(harness: &GrpcHarness) {
    let sql = "update staff_members set second_factor_by = clock_timestamp() + interval '14 days'";
    harness.world.db.as_owner(sql).await.unwrap();
}

/// A practice whose owner was a member before the rule.
async fn staffed_before() -> GrpcHarness {
    let harness = staffed().await;
    begin_grace(&harness).await;
    harness
}

async fn days_left(harness: &GrpcHarness) -> f64 {
    let sql = "select extract(epoch from second_factor_by - clock_timestamp())::float8 / 86400
               from staff_members";
    sqlx::query_scalar(sql).fetch_one(harness.world.app.store.pool()).await.unwrap()
}

async fn list_by_one_factor(harness: &GrpcHarness) -> Result<(), Status> {
    let request = harness.by_one_factor(owner(), ListBookingsRequest::default());
    harness.staff().list_bookings(request).await.map(drop)
}

/// The same of an answer that may have no reason.
fn reason_or_none(answer: Result<(), Status>) -> String {
    let detail = answer.map_err(|status| detail_of(&status));
    detail.err().flatten().map(|detail| detail.reason).unwrap_or_default()
}

fn reason(answer: Result<(), Status>) -> String {
    answer.map_or_else(|status| detail_of(&status).unwrap().reason, |()| "done".to_owned())
}

#[tokio::test]
async fn a_new_member_needs_it_from_the_first_call_on() {
    let harness = staffed().await;
    assert!(days_left(&harness).await <= 0.0);
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
    let two = harness.by(owner(), ListBookingsRequest::default());
    harness.staff().list_bookings(two).await.unwrap();
}

#[tokio::test]
async fn a_member_of_before_keeps_the_given_time_and_a_second_grant_adds_none() {
    let harness = staffed_before().await;
    assert_eq!(reason(list_by_one_factor(&harness).await), "done");
    end_grace(&harness).await;
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
    harness.grant(owner(), None).await;
    harness.grant(owner(), Some(Role::Owner)).await;
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
    let two = harness.by(owner(), ListBookingsRequest::default());
    harness.staff().list_bookings(two).await.unwrap();
}

/// Who was removed and comes back is a new member, also while days of before are left.
#[tokio::test]
async fn a_member_who_comes_back_needs_it_from_the_first_call_on() {
    let harness = staffed_before().await;
    harness.grant(owner(), Some(Role::Owner)).await;
    assert_eq!(reason(list_by_one_factor(&harness).await), "done", "a grant takes no days");
    harness.grant(owner(), None).await;
    harness.grant(owner(), Some(Role::Owner)).await;
    assert!(days_left(&harness).await <= 0.0);
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
}

#[tokio::test]
async fn from_the_first_second_factor_on_a_password_alone_is_refused() {
    let harness = staffed_before().await;
    // The page of the account asks this, right after a factor was set up.
    let mine = harness.by_one_factor(owner(), ListMyMembershipsRequest {});
    let answer = harness.organisation().list_my_memberships(mine).await.unwrap().into_inner();
    let before = answer.memberships[0].second_factor_by.unwrap();
    assert_eq!(reason(list_by_one_factor(&harness).await), "done");
    let mine = harness.by(owner(), ListMyMembershipsRequest {});
    let answer = harness.organisation().list_my_memberships(mine).await.unwrap().into_inner();
    let after = answer.memberships[0].second_factor_by.unwrap();
    assert!(after.seconds + 13 * 86_400 < before.seconds, "{before:?} {after:?}");
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
    // The own role and membership are told without it, so that pages can lead to it.
    let role = harness.by_one_factor(owner(), GetOwnRoleRequest {});
    harness.staff().get_own_role(role).await.unwrap();
    let mine = harness.by_one_factor(owner(), ListMyMembershipsRequest {});
    harness.organisation().list_my_memberships(mine).await.unwrap();
}

/// A factor that was there before the role: no password opens the practice for fourteen days.
#[tokio::test]
async fn a_member_that_has_a_second_factor_must_use_it_from_the_first_call_on() {
    let harness = staffed_before().await;
    let request = harness.by_unused_factor(owner(), ListBookingsRequest::default());
    let refused = harness.staff().list_bookings(request).await.map(drop);
    assert_eq!(reason(refused), REQUIRED);
    // A session of before the factor, whose token does not tell of it, is refused as well.
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
    let two = harness.by(owner(), ListBookingsRequest::default());
    harness.staff().list_bookings(two).await.unwrap();
}

/// The page that asks for the own membership tells of it, and ends the days.
#[tokio::test]
async fn the_pages_are_told_that_a_member_has_one() {
    let harness = staffed_before().await;
    let mine = harness.by_unused_factor(owner(), ListMyMembershipsRequest {});
    harness.organisation().list_my_memberships(mine).await.unwrap();
    assert!(days_left(&harness).await <= 0.0);
    assert_eq!(reason(list_by_one_factor(&harness).await), REQUIRED);
}

#[tokio::test]
async fn other_services_are_told_whether_it_is_needed_and_tell_that_it_was_used() {
    let harness = staffed_before().await;
    let ask = async |used_second_factor: bool| {
        let request = GetStaffRoleRequest { user_id: owner().to_string(), used_second_factor };
        let answer = harness.internal("payments").get_staff_role(request).await.unwrap();
        answer.into_inner().second_factor_required
    };
    assert!(!ask(false).await);
    assert!(ask(true).await);
    assert!(ask(false).await, "one was used before");
}

#[tokio::test]
async fn a_listed_network_stands_in_for_it() {
    let harness = staffed().await;
    let mut request = harness.by_one_factor(owner(), ListMembersRequest {});
    request.metadata_mut().insert(LISTED_NETWORK, "192.0.2.0/24".parse().unwrap());
    harness.organisation_staff().list_members(request).await.unwrap();
}

#[tokio::test]
async fn every_method_of_staff_refuses_one_factor_and_an_old_second_one() {
    let harness = staffed().await;
    let mut methods = staff_methods("booking");
    methods.retain(|method| method != OWN_ROLE);
    methods.push(LEAVE.to_owned());
    assert!(methods.len() > 20, "{methods:?}");
    let token = harness.one_factor_token(owner());
    for method in methods {
        let answer = call_empty(&harness.url, &method, &token).await.unwrap();
        assert_eq!(reason(answer), REQUIRED, "{method}");
        let name = method.rsplit('/').next().unwrap();
        let seconds = Level::of(name).seconds_max().unsigned_abs();
        let old = harness.token_shown(owner(), seconds + 1);
        let answer = call_empty(&harness.url, &method, &old).await.unwrap();
        assert_eq!(reason(answer), TOO_OLD, "{method}");
        // Half a minute before that nothing is said about it; the empty message may be refused.
        let lately = harness.token_shown(owner(), seconds - 30);
        let answer = call_empty(&harness.url, &method, &lately).await.unwrap();
        assert!(![REQUIRED, TOO_OLD].contains(&&*reason_or_none(answer)), "{method}");
    }
}

/// A cancellation against the policy gives money back, as a refund does.
#[tokio::test]
async fn to_cancel_against_the_policy_asks_for_more_than_to_cancel_by_it() {
    let harness = staffed().await;
    let old = harness.token_shown(owner(), 301);
    let cancel = async |request: CancelBookingRequest| {
        let mut request = Request::new(request);
        request.metadata_mut().insert("authorization", format!("Bearer {old}").parse().unwrap());
        reason_or_none(harness.staff().cancel_booking(request).await.map(drop))
    };
    assert_ne!(cancel(CancelBookingRequest::default()).await, TOO_OLD);
    let refund = CancellationRefund::Full.into();
    assert_eq!(cancel(CancelBookingRequest { refund, ..Default::default() }).await, TOO_OLD);
    let cancelled_by = CancelledBy::Practice.into();
    let by_practice = CancelBookingRequest { cancelled_by, ..Default::default() };
    assert_eq!(cancel(by_practice).await, TOO_OLD);
}
