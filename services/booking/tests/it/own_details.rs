//! A client corrects the details of a booking and says that it will be late.

use contract::booking::v1 as wire;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{at, corrected, correction, customer};

#[tokio::test]
async fn name_phone_and_note_are_replaced_until_the_session_is_over() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let id = harness.booked().await;
    let request = correction(&id.to_string());
    for _press in 0..2 {
        let answer = harness.public().correct_contact(harness.by(me, request.clone())).await;
        let contact = answer.unwrap().into_inner().booking.unwrap().contact.unwrap();
        assert_eq!(contact, corrected());
    }
    let wrong =
        wire::CorrectContactRequest { phone: "12".to_owned(), ..correction(&id.to_string()) };
    let wrong = harness.public().correct_contact(harness.by(me, wrong)).await;
    refused(wrong, Code::InvalidArgument, "INVALID_PHONE", "contact.phone");
    let theirs = harness.by(customer(2), correction(&id.to_string()));
    let theirs = harness.public().correct_contact(theirs).await;
    refused(theirs, Code::NotFound, "BOOKING_NOT_FOUND", "");
    world.minutes_later(60 * 24 * 60).await;
    let late = harness.public().correct_contact(harness.by(me, correction(&id.to_string()))).await;
    refused(late, Code::FailedPrecondition, "SESSION_ENDED", "");
}

#[tokio::test]
async fn a_client_says_shortly_before_a_session_that_it_will_be_late() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let id = world.hold(me, at(0, 12)).await;
    world.pay(id, "pay_1").await;
    let tell = async |person, minutes| {
        let (booking_id, session_number) = (id.to_string(), 0);
        let asked = wire::TellLateRequest { booking_id, session_number, minutes };
        harness.public().tell_late(harness.by(customer(person), asked)).await
    };
    refused(tell(1, 10).await, Code::FailedPrecondition, "NOT_LATE", "");
    world.minutes_later(2 * 60 + 1).await;
    refused(tell(1, 7).await, Code::InvalidArgument, "INVALID_MINUTES", "minutes");
    refused(tell(2, 10).await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    for minutes in [10, 5] {
        let told = tell(1, minutes).await.unwrap().into_inner().booking.unwrap().told_late;
        let told = told.unwrap();
        assert_eq!((told.session_number, told.minutes), (1, minutes));
    }
    let back = tell(1, 0).await.unwrap().into_inner().booking.unwrap();
    assert_eq!(back.told_late, None);
}
