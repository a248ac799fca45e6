//! A time that was chosen in the scheduling provider's own widget: it is taken over only if the
//! provider's API says that it is one of ours, and our own day decides whether it is held.

use std::sync::Arc;

use booking::app::App;
use booking::app::calendar_bookings::keep_calendar;
use booking::app::hold_origin::HoldOrigin;
use booking::app::request_booking::request_booking;
use booking::app::scheduled_event::{open_visit, take_scheduled_event};
use booking::clients::scheduling::Scheduling;
use booking::error::Error;
use booking::read_model::calendar_bookings::of;
use booking::repository::scheduled_events::ScheduledEvent;
use contract::booking::v1::{
    BookingState, OpenSchedulingVisitRequest, RequestBookingRequest, TakeScheduledEventRequest,
};
use eventstore::Metadata;
use futures::future::join_all;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use practice::SchedulingWidget;
use serde_json::{Value, json};

use crate::third_parties::ThirdParties;
use crate::world::{World, at, customer, new_package, new_request, new_request_with, reason};

const VISIT: &str = "00112233445566778899aabbccddeeff";

/// A practice that has times of meditation chosen in the provider's widget.
async fn with_widget(world: World) -> (World, ThirdParties, Arc<App>) {
    let server = ThirdParties::start().await;
    server.take_past_starts().await;
    let widget = SchedulingWidget {
        service_id: "meditation".to_owned(),
        url: format!("{}/scheduling/widget/session", server.url),
        event_type: format!("{}/scheduling/event_types/SESSION", server.url),
    };
    let scheduling = Scheduling::External(server.provider());
    let app = world.another_with_widgets(scheduling, vec![widget]);
    (world, server, app)
}

fn tracking() -> Value {
    json!({ "utm_source": "sukoon", "utm_content": VISIT })
}

/// A request of a visit that began when the tests did.
fn asked(app: &App, (event_uri, invitee_uri): &(String, String)) -> TakeScheduledEventRequest {
    TakeScheduledEventRequest {
        service_id: "meditation".to_owned(),
        event_uri: event_uri.clone(),
        invitee_uri: invitee_uri.clone(),
        visit_id: VISIT.to_owned(),
        visit_token: app.widget_visits.token(VISIT.parse().unwrap(), at(0, 9)),
    }
}

async fn take(app: &Arc<App>, uris: &(String, String)) -> Result<ScheduledEvent, Error> {
    take_scheduled_event(app, &HoldOrigin::default(), asked(app, uris)).await
}

/// A visitor schedules an event, which is taken over.
async fn taken(app: &Arc<App>, server: &ThirdParties, start: Timestamp) -> (String, String) {
    let uris = server.schedules(&start.to_string(), tracking()).await;
    assert_eq!(take(app, &uris).await.unwrap().starts_at, start);
    uris
}

fn with_event(request: RequestBookingRequest, event_uri: &str) -> RequestBookingRequest {
    RequestBookingRequest { scheduled_event_uri: event_uri.to_owned(), ..request }
}

async fn ask(
    app: &Arc<App>,
    number: u128,
    request: RequestBookingRequest,
) -> Result<Id<Booking>, Error> {
    request_booking(app, customer(number), request).await.map(|held| held.id)
}

async fn keep(app: &Arc<App>) {
    for _look in 0..3 {
        keep_calendar(app, Metadata::default()).await.unwrap();
    }
}

async fn counts(server: &ThirdParties) -> (usize, usize) {
    (server.events("active").await.len(), server.events("canceled").await.len())
}

#[tokio::test]
async fn what_was_scheduled_becomes_the_bookings_event() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    let uris = taken(&app, &server, at(1, 11)).await;
    // Again, it is the same.
    assert_eq!(take(&app, &uris).await.unwrap(), take(&app, &uris).await.unwrap());
    let request = with_event(new_request("meditation", at(1, 11)), &uris.0);
    let id = ask(&app, 1, request.clone()).await.unwrap();
    assert_eq!(ask(&app, 1, request).await.unwrap(), id);
    let known = async || of(app.store.pool(), id).await.unwrap();
    assert_eq!(known().await[0].uri, uris.1);
    // Neither the hold nor the payment makes another event.
    keep(&app).await;
    world.pay(id, "pay_1").await;
    world.minutes_later(60).await;
    keep(&app).await;
    assert_eq!(counts(&server).await, (1, 0));
    assert_eq!((known().await.len(), known().await[0].uri.clone()), (1, uris.1.clone()));
    assert_eq!(reason(take(&app, &uris).await), "SCHEDULED_EVENT_USED");
}

#[tokio::test]
async fn an_event_is_one_bookings_and_only_of_its_own_time_and_service() {
    let (_world, server, app) = with_widget(World::of_two().await).await;
    let (event, _) = taken(&app, &server, at(1, 14)).await;
    let package = new_package([at(1, 14), at(2, 14), at(3, 14)]);
    let unknown = format!("{}/scheduling/scheduled_events/UNKNOWN", server.url);
    for request in [
        with_event(new_request("meditation", at(1, 15)), &event),
        with_event(new_request("energy-healing", at(1, 14)), &event),
        with_event(new_request("meditation", at(1, 14)), &unknown),
        with_event(new_request("meditation", at(1, 14)), &"x".repeat(501)),
        with_event(package, &event),
    ] {
        assert_eq!(reason(ask(&app, 1, request).await), "SCHEDULED_EVENT_USED");
    }
    // At once, and with two practitioners who are both free: one gets it.
    let all = (1..=8)
        .map(|number| ask(&app, number, with_event(new_request("meditation", at(1, 14)), &event)));
    let outcomes = join_all(all).await;
    assert_eq!(outcomes.iter().filter(|it| it.is_ok()).count(), 1);
    for refused in outcomes.into_iter().filter(Result::is_err) {
        assert_eq!(reason(refused), "SCHEDULED_EVENT_USED");
    }
}

#[tokio::test]
async fn what_our_day_refuses_is_cancelled_at_the_provider() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    world.hold(customer(9), at(1, 11)).await;
    for (number, start, why) in [(1, at(1, 11), "SLOT_TAKEN"), (2, at(1, 18), "SLOT_NOT_OFFERED")] {
        let (event, _) = taken(&app, &server, start).await;
        let request = with_event(new_request("meditation", start), &event);
        assert_eq!(reason(ask(&app, number, request.clone()).await), why);
        // Its cancellation fails at first, and is tried again.
        server.fault(json!({ "target": "scheduling.cancellation", "kind": "status" })).await;
        keep(&app).await;
        world.minutes_later(1).await;
        keep(&app).await;
        assert_eq!(server.events("active").await.len(), 0, "{why}");
        assert_eq!(reason(ask(&app, number, request).await), "SCHEDULED_EVENT_USED");
    }
    // What is wrong with the request itself can be corrected.
    let (event, _) = taken(&app, &server, at(1, 14)).await;
    let mut request = with_event(new_request("meditation", at(1, 14)), &event);
    request.terms_accepted = false;
    assert_eq!(reason(ask(&app, 4, request.clone()).await), "TERMS_NOT_ACCEPTED");
    keep(&app).await;
    assert_eq!(server.events("active").await.len(), 1);
    request.terms_accepted = true;
    ask(&app, 4, request).await.unwrap();
}

#[tokio::test]
async fn what_gets_no_booking_in_time_is_given_back() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    let uris = taken(&app, &server, at(1, 11)).await;
    world.minutes_later(29).await;
    keep(&app).await;
    assert_eq!(counts(&server).await, (1, 0));
    world.minutes_later(1).await;
    keep(&app).await;
    assert_eq!(counts(&server).await, (0, 1));
    assert_eq!(reason(take(&app, &uris).await), "SCHEDULED_EVENT_USED");
    let late = with_event(new_request("meditation", at(1, 11)), &uris.0);
    assert_eq!(reason(ask(&app, 1, late).await), "SCHEDULED_EVENT_USED");
}

#[tokio::test]
async fn the_event_ends_with_the_hold_and_late_money_makes_a_new_one() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    let (event, invitee) = taken(&app, &server, at(1, 11)).await;
    let request = with_event(new_request("meditation", at(1, 11)), &event);
    let id = ask(&app, 1, request).await.unwrap();
    world.minutes_later(16).await;
    world.run_timers();
    world.reaches(id, BookingState::Expired).await;
    keep(&app).await;
    assert_eq!(counts(&server).await, (0, 1));
    world.pay(id, "pay_1").await;
    keep(&app).await;
    assert_eq!(counts(&server).await, (1, 1));
    let known = of(app.store.pool(), id).await.unwrap();
    assert!(!known[0].uri.is_empty() && known[0].uri != invitee);
}

#[tokio::test]
async fn only_what_the_provider_knows_as_ours_is_taken_over() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    let start = |hour| at(1, hour).to_string();
    let good = server.schedules(&start(11), tracking()).await;
    let elsewhere = server.schedules(&start(12), Value::Null).await;
    let other_visit = json!({ "utm_source": "sukoon", "utm_content": "f".repeat(32) });
    let of_another_visit = server.schedules(&start(13), other_visit).await;
    let with_code = async |code: &str, hour| {
        server
            .fault(json!({ "target": "scheduling.widget", "kind": "refuse", "code": code }))
            .await;
        server.schedules(&start(hour), tracking()).await
    };
    let unknown = with_code("unknown_uri", 14).await;
    let other_type = with_code("other_type", 15).await;
    let evil = "https://evil.example/scheduled_events/E".to_owned();
    let climbing = format!("{}/../../api/book", good.0);
    for (uris, why) in [
        (unknown, "SCHEDULED_EVENT_NOT_FOUND"),
        (other_type, "OTHER_EVENT_TYPE"),
        (elsewhere, "SCHEDULED_EVENT_NOT_FOUND"),
        (of_another_visit.clone(), "SCHEDULED_EVENT_NOT_FOUND"),
        ((good.0.clone(), of_another_visit.1), "SCHEDULED_EVENT_NOT_FOUND"),
        ((evil.clone(), format!("{evil}/invitees/I")), "SCHEDULED_EVENT_NOT_FOUND"),
        ((climbing.clone(), format!("{climbing}/invitees/I")), "SCHEDULED_EVENT_NOT_FOUND"),
        ((String::new(), String::new()), "SCHEDULED_EVENT_NOT_FOUND"),
    ] {
        assert_eq!(reason(take(&app, &uris).await), why, "{uris:?}");
    }
    for (change, why) in [
        (
            TakeScheduledEventRequest { service_id: "other".into(), ..asked(&app, &good) },
            "WIDGET_NOT_OFFERED",
        ),
        (
            TakeScheduledEventRequest { visit_id: "A".repeat(32), ..asked(&app, &good) },
            "SCHEDULED_EVENT_NOT_FOUND",
        ),
        (
            TakeScheduledEventRequest { visit_token: String::new(), ..asked(&app, &good) },
            "VISIT_ENDED",
        ),
        (
            TakeScheduledEventRequest { visit_id: "f".repeat(32), ..asked(&app, &good) },
            "VISIT_ENDED",
        ),
    ] {
        let answer = take_scheduled_event(&app, &HoldOrigin::default(), change).await;
        assert_eq!(reason(answer), why);
    }
    // A practice without a provider takes nothing over.
    assert_eq!(reason(take(&world.app, &good).await), "WIDGET_NOT_OFFERED");
    take(&app, &good).await.unwrap();
    assert_eq!(world.count("select count(*) from scheduled_events").await, 1);
}

#[tokio::test]
async fn a_provider_that_fails_is_told_in_the_specifications_words() {
    let (_world, server, app) = with_widget(World::without_timers().await).await;
    let uris = server.schedules(&at(1, 11).to_string(), tracking()).await;
    for (target, fault, why, told) in [
        (
            "event_types",
            json!({ "kind": "status" }),
            "EVENT_TYPES_UNAVAILABLE",
            "Failed to fetch event types",
        ),
        (
            "event_types",
            json!({ "kind": "drop" }),
            "EVENT_TYPES_UNAVAILABLE",
            "Failed to fetch event types",
        ),
        ("event_types", json!({ "kind": "empty" }), "NO_EVENT_TYPES", "No event types found"),
        (
            "event",
            json!({ "kind": "status" }),
            "SCHEDULED_EVENT_UNAVAILABLE",
            "Failed to create booking: Unknown error",
        ),
    ] {
        let mut fault = fault;
        fault["target"] = json!(format!("scheduling.{target}"));
        server.fault(fault).await;
        let error = take(&app, &uris).await.unwrap_err();
        assert_eq!(error.to_string(), told);
        assert_eq!(reason(Err::<(), _>(error)), why);
    }
    take(&app, &uris).await.unwrap();
}

#[tokio::test]
async fn an_event_that_was_cancelled_at_the_provider_is_not_taken_over() {
    let (_world, server, app) = with_widget(World::without_timers().await).await;
    let uris = server.schedules(&at(1, 11).to_string(), tracking()).await;
    server
        .provider()
        .cancel(&server.provider().event_address(&uris.0, &uris.1).unwrap().calendar_booking())
        .await
        .unwrap();
    assert_eq!(reason(take(&app, &uris).await), "SCHEDULED_EVENT_NOT_FOUND");
    // A request without an event is a request as everywhere else.
    ask(&app, 1, new_request_with("lead", "meditation", at(1, 11))).await.unwrap();
}

#[tokio::test]
async fn only_a_visit_of_our_own_page_asks_the_provider_and_for_three_hours() {
    let (world, server, app) = with_widget(World::without_timers().await).await;
    let open = async |service_id: &str| {
        open_visit(&app, &OpenSchedulingVisitRequest { service_id: service_id.to_owned() }).await
    };
    assert_eq!(reason(open("energy-healing").await), "WIDGET_NOT_OFFERED");
    let visit = open("meditation").await.unwrap();
    let tracking = json!({ "utm_source": "sukoon", "utm_content": visit.visit_id });
    let uris = server.schedules(&at(1, 11).to_string(), tracking).await;
    let of_visit = TakeScheduledEventRequest {
        visit_id: visit.visit_id,
        visit_token: visit.visit_token,
        ..asked(&app, &uris)
    };
    let origin = HoldOrigin::default();
    take_scheduled_event(&app, &origin, of_visit.clone()).await.unwrap();
    world.minutes_later(181).await;
    assert_eq!(reason(take_scheduled_event(&app, &origin, of_visit).await), "VISIT_ENDED");
}

#[tokio::test]
async fn what_the_provider_said_is_not_asked_again_at_once() {
    let (_world, server, app) = with_widget(World::without_timers().await).await;
    let known = server.schedules(&at(1, 11).to_string(), tracking()).await;
    take(&app, &known).await.unwrap();
    // The event types are known for some minutes, so this fault meets no question.
    server.fault(json!({ "target": "scheduling.event_types", "kind": "status" })).await;
    let next = server.schedules(&at(1, 12).to_string(), tracking()).await;
    take(&app, &next).await.unwrap();
    let event = format!("{}/scheduling/scheduled_events/UNKNOWN", server.url);
    let unknown = (event.clone(), format!("{event}/invitees/I"));
    assert_eq!(reason(take(&app, &unknown).await), "SCHEDULED_EVENT_NOT_FOUND");
    // Neither is what the provider did not have a moment ago.
    server.fault(json!({ "target": "scheduling.event", "kind": "status" })).await;
    assert_eq!(reason(take(&app, &unknown).await), "SCHEDULED_EVENT_NOT_FOUND");
    let other = server.schedules(&at(1, 13).to_string(), tracking()).await;
    assert_eq!(reason(take(&app, &other).await), "SCHEDULED_EVENT_UNAVAILABLE");
}

#[tokio::test]
async fn a_network_and_all_together_ask_the_provider_so_often() {
    let (_world, server, app) = with_widget(World::without_timers().await).await;
    let ask = async |network: &str, number: u32| {
        let event = format!("{}/scheduling/scheduled_events/U{number}", server.url);
        let uris = (event.clone(), format!("{event}/invitees/I"));
        let network = Some(network.as_bytes().to_vec());
        let origin = HoldOrigin { network, device: None };
        reason(take_scheduled_event(&app, &origin, asked(&app, &uris)).await)
    };
    for number in 0..10 {
        assert_eq!(ask("one", number).await, "SCHEDULED_EVENT_NOT_FOUND");
    }
    assert_eq!(ask("one", 10).await, "TOO_MANY_SCHEDULED_EVENTS");
    // What was asked before is remembered, and costs nothing.
    assert_eq!(ask("one", 9).await, "SCHEDULED_EVENT_NOT_FOUND");
    for number in 11..31 {
        let network = if number < 21 { "two" } else { "three" };
        assert_eq!(ask(network, number).await, "SCHEDULED_EVENT_NOT_FOUND");
    }
    assert_eq!(ask("four", 40).await, "TOO_MANY_SCHEDULED_EVENTS");
}
