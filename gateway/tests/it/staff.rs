//! Staff calls are forwarded to the service that knows roles, and its errors are returned
//! unchanged.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use contract::common::v1::ErrorDetail;
use http::StatusCode;
use prost::Message as _;
use serde_json::{Value, json};

use crate::harness::{CUSTOMER, TestGateway, TestOptions, token, token_of};

const CALLS: &[&str] = &[
    "booking.v1.BookingStaffService/GetOwnRole",
    "booking.v1.BookingStaffService/ListBookings",
    "booking.v1.BookingStaffService/ListBlockedTimes",
    "booking.v1.BookingStaffService/BlockTime",
    "booking.v1.BookingStaffService/UnblockTime",
    "booking.v1.BookingStaffService/CancelBooking",
    "booking.v1.BookingStaffService/AcceptClaim",
    "booking.v1.BookingStaffService/PreviewCancellation",
    "booking.v1.BookingStaffService/ReleaseHold",
    "booking.v1.BookingStaffService/MarkAttendance",
    "booking.v1.BookingStaffService/FindBookings",
    "booking.v1.BookingStaffService/GetJoinPage",
    "booking.v1.BookingStaffService/GetBookingHistory",
    "booking.v1.BookingStaffService/ListParkedEvents",
    "booking.v1.BookingStaffService/RetryParkedEvents",
    "booking.v1.BookingCalendarStaffService/ListCalendarFeeds",
    "booking.v1.BookingCalendarStaffService/RenewCalendarFeed",
    "booking.v1.BookingCalendarStaffService/StopCalendarFeed",
    "booking.v1.BookingCalendarStaffService/ListCalendarSources",
    "booking.v1.BookingCalendarStaffService/ReadCalendarSource",
    "booking.v1.OrganisationStaffService/ListMembers",
    "booking.v1.OrganisationStaffService/ListInvitations",
    "booking.v1.OrganisationStaffService/ListMembershipChanges",
    "booking.v1.OrganisationStaffService/InviteMember",
    "booking.v1.OrganisationStaffService/ResendInvitation",
    "booking.v1.OrganisationStaffService/WithdrawInvitation",
    "booking.v1.OrganisationStaffService/ChangeRole",
    "booking.v1.OrganisationStaffService/RemoveMember",
    "booking.v1.WaitingStaffService/ListWaiting",
    "booking.v1.WaitingStaffService/OfferTime",
    "booking.v1.WaitingStaffService/EndWaiting",
    "payments.v1.PaymentsStaffService/RefundPayment",
    "payments.v1.PaymentsStaffService/ReleaseRefund",
    "payments.v1.PaymentsStaffService/RecordDeskPayment",
    "payments.v1.PaymentsStaffService/RecordDeskRefund",
    "payments.v1.PaymentsStaffService/ListUnexplainedOrders",
    "payments.v1.PaymentsStaffService/ExplainOrder",
    "payments.v1.PaymentsStaffService/GetBalances",
    "payments.v1.PaymentsStaffService/ListLedgerEntries",
    "payments.v1.PaymentsStaffService/CheckProvider",
    "payments.v1.PaymentsStaffService/GetPaymentHistory",
    "payments.v1.PaymentsStaffService/ListParkedEvents",
    "payments.v1.PaymentsStaffService/RetryParkedEvents",
    "payments.v1.RefundRequestStaffService/ListRefundRequests",
    "payments.v1.RefundRequestStaffService/AnswerRefundRequest",
    "notifications.v1.NotificationsStaffService/ListMails",
    "notifications.v1.NotificationsStaffService/RetryMail",
    "notifications.v1.NotificationsStaffService/SettleMail",
    "notifications.v1.NotificationsStaffService/ListParkedEvents",
    "notifications.v1.NotificationsStaffService/RetryParkedEvents",
];

fn detail(error: &Value) -> ErrorDetail {
    let value = error["details"][0]["value"].as_str().unwrap();
    ErrorDetail::decode(STANDARD_NO_PAD.decode(value).unwrap().as_slice()).unwrap()
}

#[tokio::test]
async fn every_call_of_staff_reaches_its_service_with_the_callers_token() {
    let gateway = TestGateway::new().await;
    for method in CALLS {
        let token = token();
        let answer = gateway.call(method, &json!({})).bearer_auth(&token).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{method}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert_eq!(gateway.grpc.seen.last("authorization"), Some(format!("Bearer {token}")));
    }
}

#[tokio::test]
async fn calls_without_a_token_do_not_reach_the_service() {
    let gateway = TestGateway::new().await;
    for method in CALLS {
        let answer = gateway.call(method, &json!({})).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{method}");
        assert_eq!(detail(&answer.json().await.unwrap()).reason, "TOKEN_MISSING");
    }
    assert_eq!(gateway.grpc.seen.last("user-agent"), None, "a service was asked");
}

#[tokio::test]
async fn the_services_staff_only_error_reaches_the_client() {
    let gateway = TestGateway::new().await;
    for method in CALLS {
        let call = gateway.call(method, &json!({})).bearer_auth(token_of(CUSTOMER, 4_102_444_800));
        let answer = call.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method}");
        let error: Value = answer.json().await.unwrap();
        assert_eq!(error["code"], "permission_denied");
        assert_eq!(error["message"], "This is for the practice's staff only.");
        assert_eq!(detail(&error).reason, "STAFF_ONLY");
    }
}

#[tokio::test]
async fn only_the_gateway_says_that_a_call_comes_from_a_listed_network() {
    let staff_networks = "192.0.2.0/24".parse().unwrap();
    let options = TestOptions { trust_proxy: true, staff_networks, ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    for (address, network) in [("192.0.2.77", Some("192.0.2.0/24")), ("192.0.3.1", None)] {
        for method in CALLS {
            let call = gateway.call(method, &json!({})).bearer_auth(token());
            let call = call.header("x-listed-network", "0.0.0.0/0");
            let answer = call.header("x-forwarded-for", address).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK, "{method}");
            let told = gateway.grpc.seen.last("x-listed-network");
            assert_eq!(told.as_deref(), network, "{method} from {address}");
        }
    }
}
