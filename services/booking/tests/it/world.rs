//! The test fixture: an app with its own database, timers, fake services, and a clock that starts
//! on a fixed morning.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use booking::app::App;
use booking::app::consent_secrets::ConsentCodes;
use booking::app::consent_settings::ConsentSettings;
use booking::app::feed_secrets::FeedSecrets;
use booking::app::group_commit::GroupCommit;
use booking::app::hold_origin::OriginHashes;
use booking::app::invitation_keys::InvitationKeys;
use booking::app::page_keys::PageKeys;
use booking::app::request_booking::request_booking;
use booking::app::widget_visits::WidgetVisits;
use booking::clients::calendars::{CalendarSecrets, Calendars};
use booking::clients::catalogue::Catalogue;
use booking::clients::meetings::{MeetingSecrets, Meetings};
use booking::clients::scheduling::Scheduling;
use booking::consumers::payments::OnPayments;
use booking::domain::availability::Rules;
use booking::domain::claim_policy::ClaimPolicy;
use booking::domain::consent::document::Fingerprints;
use booking::domain::hold_limit::{HoldLimit, HoldLimits};
use booking::domain::practitioners::Practitioners;
use booking::error::Error;
use booking::read_model::view::{self, View};
use booking::repository::DaySnapshotCache;
use booking::timers::Timers;
use contract::booking::v1::{self as wire, BookingState, Contact, RequestBookingRequest};
use contract::convert::to_wire;
use eventstore::{Metadata, NewEvent, Recorded, run_timers};
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id, Reject as _, Timestamp};
use messaging::{Reaction, ReactionError};
use practice::{FurtherPractitioner, Practice, SchedulingWidget};
use prost::{Message, Name};
use runtime::Shutdown;
use runtime::caller::Peers;
use staff::{Role, Staff};
use testkit::{TestDatabase, TestKeys, until, until_no_timer_runs};
use uuid::Uuid;

use crate::fakes::{self, Rooms};

/// Nine in the morning of a Tuesday in Bhopal.
pub(crate) const MORNING: &str = "2026-11-24T03:30:00Z";

/// The key of the secret addresses of practitioners' sessions.
pub(crate) const FEED_KEY: &str = "a-key-of-calendar-addresses-in-tests";

/// The key of consent files.
pub(crate) const CONSENT_KEY: &str = "the-key-of-consents-in-these-tests";

/// The number of timers of bookings.
pub(crate) const TIMERS: &str = "select count(*) from timers where kind <> 'sweep'";

/// The same customer holds many times in a test.
pub(crate) const UNLIMITED: HoldLimits = HoldLimits {
    account: HoldLimit::new(u32::MAX, 0),
    device: HoldLimit::new(u32::MAX, 0),
    network: HoldLimit::new(u32::MAX, 0),
};

pub(crate) struct World {
    pub(crate) db: TestDatabase,
    pub(crate) app: Arc<App>,
    pub(crate) rooms: Rooms,
    pub(crate) keys: TestKeys,
    pub(crate) peers: Peers,
    pub(crate) shutdown: Shutdown,
}

impl Drop for World {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

impl World {
    /// An app whose timers run.
    pub(crate) async fn new() -> Self {
        let world = Self::without_timers().await;
        world.run_timers();
        world
    }

    /// An app whose timers do not run.
    pub(crate) async fn without_timers() -> Self {
        Self::with_claims(ClaimPolicy::Review).await
    }

    /// The same with a claim policy.
    pub(crate) async fn with_claims(claim_policy: ClaimPolicy) -> Self {
        Self::of(practice::load(&folder()).unwrap(), claim_policy).await
    }

    /// An app whose timers do not run, of a practice with two practitioners: "lead" and "ravi",
    /// whose first session of a day begins two hours later.
    pub(crate) async fn of_two() -> Self {
        Self::of(practice_of_two(), ClaimPolicy::Review).await
    }

    /// An app of a practice whose calendars have these secrets, and may be read from this origin on
    /// this machine.
    pub(crate) async fn with_calendars(
        practice: Practice,
        secrets: CalendarSecrets,
        sandbox: &str,
    ) -> Self {
        let calendars = (secrets, Some(sandbox.parse().unwrap()));
        Self::build(practice, ClaimPolicy::Review, calendars, None).await
    }

    /// An app whose timers do not run, of a practice.
    pub(crate) async fn of(practice: Practice, claim_policy: ClaimPolicy) -> Self {
        Self::build(practice, claim_policy, (CalendarSecrets::new(), None), None).await
    }

    /// An app whose timers do not run, of a practice that meets at these places.
    pub(crate) async fn meeting_at(practice: Practice, places: MeetingSecrets) -> Self {
        let calendars = (CalendarSecrets::new(), None);
        Self::build(practice, ClaimPolicy::Review, calendars, Some(places)).await
    }

    async fn build(
        practice: Practice,
        claim_policy: ClaimPolicy,
        (secrets, sandbox): (CalendarSecrets, Option<url::Url>),
        places: Option<MeetingSecrets>,
    ) -> Self {
        let db = TestDatabase::new(&booking::MIGRATIONS).await.unwrap();
        db.as_owner(&format!(
            "update clock set offset_by = timestamptz '{MORNING}' - clock_timestamp()"
        ))
        .await
        .unwrap();
        let shutdown = Shutdown::new();
        let keys = TestKeys::new(&["booking", "catalogue", "payments", "notifications", "reviews"])
            .unwrap();
        let peers = keys.peers("booking").unwrap();
        let catalogue_url = fakes::catalogue(keys.peers("catalogue").unwrap(), &shutdown).await;
        let rooms = Rooms::default();
        let meeting_secrets = match places {
            Some(places) => places,
            None => fakes::meetings(rooms.clone()).await,
        };
        let terms = practice::consent::load(&folder(), &practice).unwrap();
        let app = Arc::new(App {
            store: db.store().unwrap(),
            rules: Rules::of(&practice),
            practitioners: Practitioners::of(&practice),
            scheduling: Scheduling::Own,
            calendars: Calendars::new(&practice, &secrets, sandbox.as_ref()).unwrap(),
            meetings: Meetings::new(&practice, &meeting_secrets, &FEED_KEY.to_owned().into())
                .unwrap(),
            practice,
            day_snapshots: DaySnapshotCache::new(),
            group_commit: GroupCommit::new(),
            catalogue: Catalogue::new(&catalogue_url, &peers).unwrap(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            feed_secrets: FeedSecrets::new(&FEED_KEY.to_owned().into()).unwrap(),
            page_keys: PageKeys::new(&FEED_KEY.to_owned().into()).unwrap(),
            invitation_keys: InvitationKeys::new(&FEED_KEY.to_owned().into()).unwrap(),
            consent: ConsentSettings {
                terms,
                fingerprints: Fingerprints::new(CONSENT_KEY).unwrap(),
            },
            consent_codes: ConsentCodes::new(&FEED_KEY.to_owned().into()).unwrap(),
            claim_policy,
            hold_limits: UNLIMITED,
            origin_hashes: OriginHashes::new(&FEED_KEY.to_owned().into()).unwrap(),
            widget_visits: WidgetVisits::new(&FEED_KEY.to_owned().into()).unwrap(),
        });
        Self { db, app, rooms, keys, peers, shutdown }
    }

    /// The app of another process on the same database, with other settings of the practice.
    pub(crate) fn another(&self, change: impl FnOnce(&mut Practice)) -> Arc<App> {
        let mut practice = self.app.practice.clone();
        change(&mut practice);
        self.process(practice, (self.app.scheduling.clone(), self.app.calendars.clone()))
    }

    /// The same practice in another process, with limits of what is held without a payment.
    pub(crate) fn another_with_hold_limits(&self, hold_limits: HoldLimits) -> Arc<App> {
        let practice = self.app.practice.clone();
        let app = self.process(practice, (self.app.scheduling.clone(), self.app.calendars.clone()));
        let mut app = Arc::into_inner(app).unwrap();
        app.hold_limits = hold_limits;
        Arc::new(app)
    }

    /// The same practice in another process, with other calendars.
    pub(crate) fn another_with_calendars(&self, calendars: &Calendars) -> Arc<App> {
        let practice = self.app.practice.clone();
        self.process(practice, (Scheduling::Own, calendars.clone()))
    }

    /// The same practice in another process, with an external scheduling provider.
    pub(crate) fn another_with_scheduling(&self, scheduling: Scheduling) -> Arc<App> {
        let practice = self.app.practice.clone();
        self.process(practice, (scheduling, self.app.calendars.clone()))
    }

    /// The same with services whose time is chosen in the provider's widget.
    pub(crate) fn another_with_widgets(
        &self,
        scheduling: Scheduling,
        widgets: Vec<SchedulingWidget>,
    ) -> Arc<App> {
        let mut practice = self.app.practice.clone();
        practice.scheduling_widgets = widgets;
        self.process(practice, (scheduling, self.app.calendars.clone()))
    }

    fn process(
        &self,
        practice: Practice,
        (scheduling, calendars): (Scheduling, Calendars),
    ) -> Arc<App> {
        Arc::new(App {
            store: self.db.store().unwrap(),
            rules: Rules::of(&practice),
            practitioners: Practitioners::of(&practice),
            scheduling,
            calendars,
            practice,
            day_snapshots: DaySnapshotCache::new(),
            group_commit: GroupCommit::new(),
            catalogue: self.app.catalogue.clone(),
            meetings: self.app.meetings.clone(),
            public_url: self.app.public_url.clone(),
            feed_secrets: self.app.feed_secrets.clone(),
            page_keys: self.app.page_keys.clone(),
            invitation_keys: self.app.invitation_keys.clone(),
            consent: self.app.consent.clone(),
            consent_codes: self.app.consent_codes.clone(),
            claim_policy: self.app.claim_policy,
            hold_limits: self.app.hold_limits,
            origin_hashes: self.app.origin_hashes.clone(),
            widget_visits: self.app.widget_visits.clone(),
        })
    }

    pub(crate) fn run_timers(&self) {
        let timers = Arc::new(Timers::new(Arc::clone(&self.app)));
        tokio::spawn(run_timers(self.app.store.clone(), timers, self.shutdown.wait()));
    }

    /// Sets the clock forward by so many minutes, once no timer runs.
    pub(crate) async fn minutes_later(&self, minutes: i64) {
        until_no_timer_runs(&self.app.store).await.unwrap();
        self.db
            .as_owner(&format!(
                "update clock set offset_by = offset_by + make_interval(mins => {minutes})"
            ))
            .await
            .unwrap();
    }

    pub(crate) async fn request(
        &self,
        customer: Id<Customer>,
        request: RequestBookingRequest,
    ) -> Result<Id<Booking>, Error> {
        request_booking(&self.app, customer, request).await.map(|held| held.id)
    }

    /// A hold of an hour of meditation.
    pub(crate) async fn hold(&self, customer: Id<Customer>, starts_at: Timestamp) -> Id<Booking> {
        self.request(customer, new_request("meditation", starts_at)).await.unwrap()
    }

    pub(crate) async fn view(&self, id: Id<Booking>) -> View {
        let pool = self.app.store.pool();
        view::load(pool, &self.app.practice, id).await.unwrap().unwrap()
    }

    pub(crate) async fn state(&self, id: Id<Booking>) -> BookingState {
        self.view(id).await.booking.state()
    }

    /// Waits until a booking is in a state.
    pub(crate) async fn reaches(&self, id: Id<Booking>, state: BookingState) -> wire::Booking {
        let probe = async || {
            let booking = self.view(id).await.booking;
            Ok((booking.state() == state).then_some(booking))
        };
        until(&format!("the booking is {state:?}"), probe).await.unwrap()
    }

    /// Delivers an event of payments.
    pub(crate) async fn payments_say<M: Message + Name>(&self, message: &M) {
        let reaction = OnPayments::new(Arc::clone(&self.app));
        self.react(Arc::new(reaction), message).await;
    }

    /// Delivers an event of another service.
    pub(crate) async fn react<M: Message + Name>(&self, reaction: Arc<dyn Reaction>, message: &M) {
        self.try_react(reaction, message).await.unwrap();
    }

    /// The same for an event that may fail.
    pub(crate) async fn try_react<M: Message + Name>(
        &self,
        reaction: Arc<dyn Reaction>,
        message: &M,
    ) -> Result<(), ReactionError> {
        let new = NewEvent::of(message).unwrap();
        let event = Arc::new(Recorded {
            event_id: new.event_id,
            stream_id: "elsewhere".to_owned(),
            version: 1,
            position: 1,
            event_type: new.event_type,
            payload: new.payload,
            metadata: Metadata::default(),
            recorded_at: Timestamp::EPOCH,
        });
        self.app
            .store
            .write(Metadata::by("test", None), move |tx| {
                let (reaction, event) = (Arc::clone(&reaction), Arc::clone(&event));
                Box::pin(async move { reaction.react(tx, &event).await })
            })
            .await
    }

    /// Delivers a verified payment for a booking.
    pub(crate) async fn pay(&self, id: Id<Booking>, payment: &str) {
        self.payments_say(&contract::payments::v1::PaymentVerified {
            booking_id: id.to_string(),
            payment_id: payment.to_owned(),
            amount: None,
        })
        .await;
    }

    /// The names of a stream's events.
    pub(crate) async fn history(&self, stream: &str) -> Vec<String> {
        let events = self.app.store.load(stream).await.unwrap();
        events
            .iter()
            .map(|event| event.event_type.trim_start_matches("booking.v1.").to_owned())
            .collect()
    }

    pub(crate) async fn booking_history(&self, id: Id<Booking>) -> Vec<String> {
        self.history(&booking::contract::booking_stream(id)).await
    }

    /// The number that a query returns.
    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(self.app.store.pool()).await.unwrap()
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice")
}

/// The demonstration practice with a second practitioner.
pub(crate) fn practice_of_two() -> Practice {
    let mut practice = practice::load(&folder()).unwrap();
    practice.practitioners.push(FurtherPractitioner {
        practitioner_id: "ravi".to_owned(),
        name: "Ravi Menon".to_owned(),
        weekdays: None,
        first_start: Some(jiff::civil::time(13, 0, 0, 0)),
        last_start: None,
        closed_dates: None,
        blocked_times: None,
    });
    practice
}

pub(crate) fn customer(number: u128) -> Id<Customer> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// A local hour in Bhopal, so many days after the first morning.
pub(crate) fn at(day: i64, hour: i64) -> Timestamp {
    let morning: Timestamp = MORNING.parse().unwrap();
    morning.plus_minutes((day * 24 + hour - 9) * 60)
}

pub(crate) fn asha() -> Contact {
    Contact {
        first_name: "Asha".to_owned(),
        last_name: "Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        phone: String::new(),
        notes: String::new(),
    }
}

/// A booking's contact data once they are corrected.
pub(crate) fn corrected() -> Contact {
    Contact {
        first_name: "Asha Devi".to_owned(),
        phone: "+919800000001".to_owned(),
        notes: "Second floor, please.".to_owned(),
        ..asha()
    }
}

/// That correction.
pub(crate) fn correction(booking_id: &str) -> wire::CorrectContactRequest {
    let Contact { first_name, last_name, phone, notes, .. } = corrected();
    wire::CorrectContactRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        booking_id: booking_id.to_owned(),
        first_name,
        last_name,
        phone,
        notes,
    }
}

/// A request with its own idempotency key.
pub(crate) fn new_request(service: &str, starts_at: Timestamp) -> RequestBookingRequest {
    RequestBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        service_id: service.to_owned(),
        starts_at: Some(to_wire(starts_at)),
        mode: wire::SessionMode::Online.into(),
        contact: Some(asha()),
        terms_accepted: true,
        ..RequestBookingRequest::default()
    }
}

/// A request for the starter package of meditation.
pub(crate) fn new_package(starts: [Timestamp; 3]) -> RequestBookingRequest {
    let [first, further @ ..] = starts;
    RequestBookingRequest {
        package_id: "starter".to_owned(),
        further_starts_at: further.map(to_wire).to_vec(),
        ..new_request("meditation", first)
    }
}

/// A request with a practitioner.
pub(crate) fn new_request_with(
    practitioner_id: &str,
    service: &str,
    starts_at: Timestamp,
) -> RequestBookingRequest {
    let practitioner_id = practitioner_id.to_owned();
    RequestBookingRequest { practitioner_id, ..new_request(service, starts_at) }
}

/// The reason of a refusal.
#[track_caller]
pub(crate) fn reason<T: std::fmt::Debug>(result: Result<T, Error>) -> &'static str {
    match result {
        Err(CommandError::Rejected(rejection)) => rejection.reason(),
        other => panic!("not refused: {other:?}"),
    }
}

/// The practice's owner, as staff.
pub(crate) fn owner() -> Staff {
    Staff { id: customer(900), role: Role::Owner }
}
