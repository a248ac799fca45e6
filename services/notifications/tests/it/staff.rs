//! Staff lists parked events and retries them.

use std::sync::Arc;

use anyhow::Result;
use contract::booking::v1::{BookingConfirmed, SessionMode};
use contract::notifications::v1::notifications_staff_service_client as client;
use contract::notifications::v1::{ListParkedEventsRequest, RetryParkedEventsRequest};
use eventstore::{StaffAuthorizer, new_uuid};
use kernel::Id;
use kernel::id::Customer;
use messaging::ParkedEvents;
use notifications::consumers::booking::OnBooking;
use practice::Mails;
use runtime::channel;
use runtime::server::Server;
use runtime::status::detail_of;
use staff::StaffDirectory;
use testkit::calls::{call_empty, staff_methods};
use testkit::until;
use tonic::transport::Channel;
use tonic::{Code, Request};
use uuid::Uuid;

use crate::world::{CUSTOMER, World};

/// In the year 2100.
const FAR: u64 = 4_102_444_800;

/// The staff service of a test, and a caller with a role.
pub(crate) struct StaffClient {
    pub(crate) client: client::NotificationsStaffServiceClient<Channel>,
    person: Uuid,
    url: String,
}

impl StaffClient {
    pub(crate) async fn new(world: &World, role: Option<&str>) -> Result<Self> {
        let server = Server::bind("127.0.0.1:0".parse()?, &world.shutdown).await?;
        let url = format!("http://{}", server.address()?);
        let roles = StaffDirectory::new(world.booking_url(), &world.peers()?)?;
        let door = StaffAuthorizer::new(world.verifier()?, Arc::new(roles), world.store.clone());
        let parked = ParkedEvents::new(world.store.clone()).consumer(
            "notifications-on-booking",
            "booking",
            Arc::new(OnBooking::new(&Mails::default())),
        );
        let routes =
            notifications::grpc::routes(world.store.clone(), &world.peers()?, door, parked);
        tokio::spawn(server.serve(routes));
        let person = new_uuid();
        if let Some(role) = role {
            let id = Id::<Customer>::from_uuid(person).to_string();
            world.data.roles.lock().unwrap().insert(id, role.to_owned());
        }
        let client = client::NotificationsStaffServiceClient::new(channel::connect_lazy(&url)?);
        Ok(Self { client, person, url })
    }

    pub(crate) fn by<T>(&self, world: &World, message: T) -> Result<Request<T>> {
        let token = world.users.token(&self.person.to_string(), CUSTOMER, FAR)?;
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
        Ok(request)
    }
}

/// The rows of `audit_log`, oldest first.
pub(crate) async fn audited(world: &World) -> Result<Vec<(String, String, String)>> {
    let rows = sqlx::query_as("select role, action, outcome from audit_log order by audit_id");
    Ok(rows.fetch_all(world.store.pool()).await?)
}

#[tokio::test]
async fn a_parked_event_is_shown_tried_again_and_taken_in_when_it_can_be() -> Result<()> {
    let world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("owner")).await?;
    let booking = world.booking(SessionMode::InPerson);
    // It cannot be read, so it is parked, and what follows in its stream waits behind it.
    world
        .append_event(BookingConfirmed { booking_id: "nobody".to_owned(), ..Default::default() })
        .await?;
    world.confirmed(booking).await?;
    let request = || staff.by(&world, ListParkedEventsRequest {});
    let listed = until("both are parked", async || {
        let answer = staff.client.clone().list_parked_events(request()?).await?.into_inner();
        Ok((answer.events.len() == 2).then_some(answer.events))
    })
    .await?;
    assert_eq!(listed[0].event_type, "booking.v1.BookingConfirmed");
    assert_eq!((&*listed[0].consumer, &*listed[0].source), ("notifications-on-booking", "booking"));
    assert_eq!(listed[0].error, "this is not an id that begins with bkg_");
    let retry = RetryParkedEventsRequest { stream_id: "neighbours".to_owned() };
    let request = staff.by(&world, retry.clone())?;
    let answer = staff.client.retry_parked_events(request).await?.into_inner();
    assert_eq!((answer.handled, answer.events.len()), (0, 2), "the reason is still there");

    let good = format!(r#"{{"bookingId": "{booking}"}}"#);
    let mended = sqlx::query("update parked_events set payload = $1::jsonb where position = $2");
    mended.bind(good).bind(listed[0].position).execute(world.store.pool()).await?;
    let request = staff.by(&world, retry)?;
    let answer = staff.client.retry_parked_events(request).await?.into_inner();
    assert_eq!((answer.handled, answer.events.len()), (2, 0));
    world.until_idle().await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1, "both were about the same booking");
    let done = |action: &str| ("owner".to_owned(), action.to_owned(), "done".to_owned());
    let acts = audited(&world).await?;
    assert_eq!(acts.first(), Some(&done("ListParkedEvents")));
    assert_eq!(acts.iter().filter(|act| **act == done("RetryParkedEvents")).count(), 2);
    world.end().await
}

#[tokio::test]
async fn only_owner_and_admin_are_allowed_and_refusals_are_audited() -> Result<()> {
    let world = World::new().await?;
    for (role, reason) in [
        (None, Some("STAFF_ONLY")),
        (Some("front_desk"), Some("ROLE_NOT_ALLOWED")),
        (Some("practitioner"), Some("ROLE_NOT_ALLOWED")),
        (Some("gardener"), Some("STAFF_ONLY")),
        (Some("admin"), None),
    ] {
        let mut staff = StaffClient::new(&world, role).await?;
        let request = staff.by(&world, ListParkedEventsRequest {})?;
        let listed = staff.client.list_parked_events(request).await.map(|_| ());
        let request = staff.by(&world, RetryParkedEventsRequest::default())?;
        let retried = staff.client.retry_parked_events(request).await.map(|_| ());
        for answer in [listed, retried] {
            let refused = answer.err();
            let told = refused.as_ref().and_then(detail_of).map(|detail| detail.reason);
            assert_eq!(told.as_deref(), reason, "{role:?}");
            let code = refused.map(|status| status.code());
            assert_eq!(code, reason.map(|_| Code::PermissionDenied));
        }
    }
    let outcomes: Vec<String> =
        audited(&world).await?.into_iter().map(|(.., outcome)| outcome).collect();
    let not = "ROLE_NOT_ALLOWED";
    assert_eq!(outcomes, [not, not, not, not, "done", "done"]);
    // Those of callers without a role are counted for each of them, in each hour.
    let sql = "select sum(refusals)::bigint from outsider_refusals group by actor";
    let counted: Vec<i64> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    assert_eq!(counted, [2, 2]);
    world.end().await
}

#[tokio::test]
async fn staff_calls_need_a_token_and_a_known_role() -> Result<()> {
    let world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("owner")).await?;
    let refused = staff.client.list_parked_events(ListParkedEventsRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    world.data.down.store(true, std::sync::atomic::Ordering::SeqCst);
    let request = staff.by(&world, ListParkedEventsRequest {})?;
    let refused = staff.client.list_parked_events(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
    world.end().await
}

#[tokio::test]
async fn every_method_of_staff_asks_for_the_second_factor() -> Result<()> {
    let world = World::new().await?;
    let staff = StaffClient::new(&world, Some("owner")).await?;
    let token = world.users.one_factor_token(&staff.person.to_string(), CUSTOMER, FAR)?;
    let methods = staff_methods("notifications");
    assert!(methods.len() > 3, "{methods:?}");
    for method in methods {
        let status = call_empty(&staff.url, &method, &token).await?.unwrap_err();
        let reason = detail_of(&status).map(|detail| detail.reason);
        assert_eq!(reason.as_deref(), Some("SECOND_FACTOR_REQUIRED"), "{method}");
    }
    world.end().await
}
