//! What a client chooses about the mails of its bookings.

use booking::app::release_booking::release_booking;
use contract::booking::v1 as wire;
use contract::booking::v1::MailPreferencesChanged;
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use tonic::{Code, Response, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::waiting::{joined, offered, wish};
use crate::world::{at, customer};

async fn choose(
    harness: &GrpcHarness,
    me: Id<Customer>,
    hours: &[i32],
) -> Result<Response<wire::SetMailPreferencesResponse>, Status> {
    let preferences = Some(wire::MailPreferences { reminder_hours: hours.to_vec(), thanks: false });
    let request = wire::SetMailPreferencesRequest { preferences };
    harness.public().set_mail_preferences(harness.by(me, request)).await
}

async fn chosen(harness: &GrpcHarness, me: Id<Customer>) -> wire::GetMailPreferencesResponse {
    let request = harness.by(me, wire::GetMailPreferencesRequest {});
    harness.public().get_mail_preferences(request).await.unwrap().into_inner()
}

async fn told(harness: &GrpcHarness, booking_id: String) -> Option<wire::MailPreferences> {
    let asked = wire::GetBookingContactRequest { booking_id, ..Default::default() };
    let answer = harness.internal("notifications").get_booking_contact(asked).await;
    answer.unwrap().into_inner().mail_preferences
}

#[tokio::test]
async fn a_choice_is_told_once_with_the_bookings_to_come_and_comes_with_their_mails() {
    let harness = GrpcHarness::new().await;
    let me = customer(1);
    let id = harness.world.hold(me, at(1, 11)).await;
    harness.world.pay(id, "pay_1").await;
    let before = chosen(&harness, me).await;
    assert!(!before.chosen && before.preferences.unwrap().thanks, "the practice's own hours");
    assert_eq!(told(&harness, id.to_string()).await, None);
    for _press in 0..2 {
        let set = choose(&harness, me, &[2, 24]).await.unwrap().into_inner().preferences.unwrap();
        assert_eq!((set.reminder_hours, set.thanks), (vec![24, 2], false));
    }
    let stream = format!("preferences-{}", me.uuid());
    let events = harness.world.app.store.load(&stream).await.unwrap();
    assert_eq!(events.len(), 1, "the same choice is told once");
    let event = events[0].get::<MailPreferencesChanged>().unwrap().unwrap();
    assert_eq!(event.booking_ids, [id.to_string()]);
    let kept = chosen(&harness, me).await;
    assert!(kept.chosen);
    assert_eq!(told(&harness, id.to_string()).await, kept.preferences);
    assert!(!chosen(&harness, customer(2)).await.chosen, "it is the client's own");
    for wrong in [&[3][..], &[24, 24], &[24, 12, 2]] {
        let field = "preferences.reminder_hours";
        let refusal = choose(&harness, me, wrong).await;
        refused(refusal, Code::InvalidArgument, "INVALID_REMINDER_HOURS", field);
    }
    assert_eq!(chosen(&harness, me).await, kept);
}

#[tokio::test]
async fn a_time_that_is_held_is_named_with_the_own_sessions() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let list = async |part: wire::OwnBookingsPart| {
        let asked = wire::ListOwnBookingsRequest { part: part.into(), ..Default::default() };
        let answer = harness.public().list_own_bookings(harness.by(customer(10), asked)).await;
        answer.unwrap().into_inner().held_offer
    };
    let starts_at: Timestamp = at(3, 11);
    let id = world.hold(customer(1), starts_at).await;
    joined(world, 10, wish()).await;
    assert_eq!(list(wire::OwnBookingsPart::Coming).await, None);
    release_booking(&world.app, customer(1), id, "a-key-of-a-release").await.unwrap();
    let offer = offered(world, 10).await;
    let held = list(wire::OwnBookingsPart::Coming).await.unwrap();
    assert_eq!((held.offer_id, held.held_until_at), (offer.offer_id, offer.held_until_at));
    assert_eq!(held.starts_at, offer.starts_at);
    assert!(!held.service_title.is_empty());
    assert_eq!(list(wire::OwnBookingsPart::Past).await, None);
}
