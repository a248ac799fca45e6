//! The calendars of practitioners: the one that other programs subscribe to, and what staff does
//! with its address.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::booking::v1::booking_calendar_service_server::BookingCalendarService;
use contract::booking::v1::booking_calendar_staff_service_server::BookingCalendarStaffService;
use contract::booking::v1::{
    CalendarFeed, CalendarSource, GetCalendarBookingRequest, GetCalendarBookingResponse,
    GetOwnCalendarRequest, GetOwnCalendarResponse, GetSessionCalendarRequest,
    GetSessionCalendarResponse, ListCalendarFeedsRequest, ListCalendarFeedsResponse,
    ListCalendarSourcesRequest, ListCalendarSourcesResponse, OpenSchedulingVisitRequest,
    OpenSchedulingVisitResponse, ReadCalendarSourceRequest, ReadCalendarSourceResponse,
    RenewCalendarFeedRequest, RenewCalendarFeedResponse, RenewOwnCalendarRequest,
    RenewOwnCalendarResponse, SessionCalendarBooking, StopCalendarFeedRequest,
    StopCalendarFeedResponse, StopOwnCalendarRequest, StopOwnCalendarResponse,
    TakeScheduledEventRequest, TakeScheduledEventResponse,
};
use contract::convert::to_wire;
use eventstore::{Act, StaffAuthorizer};
use kernel::Id;
use kernel::id::CalendarFeed as CalendarFeedId;
use runtime::caller::Users;
use runtime::status::{to_status, unavailable};
use staff::{Role, Staff};
use tonic::{Request, Response, Status};

use super::audited::audited;
use super::calendar::feed;
use super::ownership::{load_owned, parse};
use crate::app::App;
use crate::app::calendar_feed::{self, read_feed, renew_feed, stop_feed};
use crate::app::own_calendar::{read_own_calendar, renew_own_calendar, stop_own_calendar};
use crate::app::read_calendar::{self, read_soon};
use crate::app::scheduled_event::{open_visit, take_scheduled_event};
use crate::app::staff_scope::{Scope, scope_of};
use crate::app::standing::StaffTable;
use crate::clients::calendars::Source;
use crate::read_model::busy_times::{self, SourceState};
use crate::read_model::calendar_bookings::{self, SessionState};
use crate::read_model::calendar_feeds::{self, Feed};
use crate::read_model::own_calendars::{self, OwnCalendar};

/// Those who may have the address of a practitioner's sessions.
const CALENDAR_ROLES: &[Role] = &[Role::Owner, Role::Admin, Role::Practitioner];

/// The handler of the calendar that other programs subscribe to.
#[derive(Debug, Clone)]
pub struct CalendarHandler {
    app: Arc<App>,
    users: Users,
}

impl CalendarHandler {
    /// A handler that uses this app.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }

    fn wire_own(&self, own: OwnCalendar) -> wire::OwnCalendar {
        wire::OwnCalendar {
            path: path(&self.app, own.feed_id),
            details: own.details,
            renewed_at: Some(to_wire(own.renewed_at)),
        }
    }
}

/// Where calendar programs read an address.
fn path(app: &App, feed_id: Id<CalendarFeedId>) -> String {
    format!("/calendars/{}.ics", app.feed_secrets.secret(feed_id))
}

#[tonic::async_trait]
impl BookingCalendarService for CalendarHandler {
    async fn get_session_calendar(
        &self,
        request: Request<GetSessionCalendarRequest>,
    ) -> Result<Response<GetSessionCalendarResponse>, Status> {
        let (app, secret) = (&self.app, &request.get_ref().secret);
        let own = read_own_calendar(app, secret).await.map_err(|error| to_status(&error))?;
        let content = match own {
            Some((own, sessions)) => feed::own_calendar(&app.practice, own, &sessions),
            None => {
                let read = read_feed(app, secret).await;
                let (feed, sessions) = read.map_err(|error| to_status(&error))?;
                feed::calendar(&app.practice, &feed, &sessions)
            }
        };
        Ok(Response::new(GetSessionCalendarResponse { content }))
    }

    async fn get_own_calendar(
        &self,
        request: Request<GetOwnCalendarRequest>,
    ) -> Result<Response<GetOwnCalendarResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let own = own_calendars::of(self.app.store.pool(), user.customer).await;
        let own = own.map_err(|error| unavailable(&error))?;
        let calendar = own.map(|own| self.wire_own(own)).unwrap_or_default();
        Ok(Response::new(GetOwnCalendarResponse { calendar: Some(calendar) }))
    }

    async fn renew_own_calendar(
        &self,
        request: Request<RenewOwnCalendarRequest>,
    ) -> Result<Response<RenewOwnCalendarResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let own = renew_own_calendar(&self.app, user.customer, request.into_inner()).await;
        let calendar = Some(self.wire_own(own.map_err(|error| to_status(&error))?));
        Ok(Response::new(RenewOwnCalendarResponse { calendar }))
    }

    async fn stop_own_calendar(
        &self,
        request: Request<StopOwnCalendarRequest>,
    ) -> Result<Response<StopOwnCalendarResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let stopped = stop_own_calendar(&self.app, user.customer).await;
        stopped.map_err(|error| to_status(&error))?;
        Ok(Response::new(StopOwnCalendarResponse {}))
    }

    async fn get_calendar_booking(
        &self,
        request: Request<GetCalendarBookingRequest>,
    ) -> Result<Response<GetCalendarBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let id = parse(&request.into_inner().booking_id)?;
        load_owned(&self.app, user.customer, id).await?;
        let found = calendar_bookings::of(self.app.store.pool(), id).await;
        let sessions = found.map_err(|error| unavailable(&error))?;
        let sessions: Vec<_> = sessions.into_iter().map(wire_session).collect();
        let first = sessions.iter().find(|it| !it.calendar_booking_id.is_empty());
        Ok(Response::new(GetCalendarBookingResponse {
            calendar_booking_id: first.map(|it| it.calendar_booking_id.clone()).unwrap_or_default(),
            is_failing: sessions.iter().any(|it| !it.problem.is_empty()),
            sessions,
        }))
    }

    async fn open_scheduling_visit(
        &self,
        request: Request<OpenSchedulingVisitRequest>,
    ) -> Result<Response<OpenSchedulingVisitResponse>, Status> {
        let opened = open_visit(&self.app, request.get_ref()).await;
        Ok(Response::new(opened.map_err(|error| to_status(&error))?))
    }

    async fn take_scheduled_event(
        &self,
        request: Request<TakeScheduledEventRequest>,
    ) -> Result<Response<TakeScheduledEventResponse>, Status> {
        let origin = self.app.origin_hashes.origin(request.metadata());
        let taken = take_scheduled_event(&self.app, &origin, request.into_inner()).await;
        let event = taken.map_err(|error| to_status(&error))?;
        Ok(Response::new(TakeScheduledEventResponse {
            starts_at: Some(to_wire(event.starts_at)),
            until_at: Some(to_wire(event.until_at)),
        }))
    }
}

fn wire_session(state: SessionState) -> SessionCalendarBooking {
    SessionCalendarBooking {
        session_number: state.number,
        calendar_booking_id: state.uri,
        problem: state.problem,
    }
}

/// The handler of staff's calls about calendars.
#[derive(Debug, Clone)]
pub struct CalendarStaffHandler {
    app: Arc<App>,
    authorizer: StaffAuthorizer,
}

impl CalendarStaffHandler {
    /// A handler for calls of staff, whose roles are in this service's table.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        let roles = Arc::new(StaffTable(app.store.clone()));
        let authorizer = StaffAuthorizer::new(users, roles, app.store.clone());
        Self { app, authorizer }
    }

    async fn scope(&self, staff: Staff) -> Result<Scope, Status> {
        scope_of(&self.app, staff).await.map_err(|error| to_status(&error))
    }

    /// The practitioner that a request means; a practitioner means the own calendar.
    async fn practitioner(
        &self,
        (staff, act): (Staff, Act<'_>),
        asked: &mut String,
    ) -> Result<String, Status> {
        let scope = self.scope(staff).await?;
        let own = scope.practitioner(std::mem::take(asked));
        audited(&self.authorizer, staff, act, own).await
    }

    fn wire_source(&self, source: &Source, state: Option<&SourceState>) -> CalendarSource {
        let practitioner_id = source.practitioner_id.clone();
        CalendarSource {
            calendar_id: source.calendar_id.clone(),
            practitioner_name: self.app.practice.name_of_practitioner(&practitioner_id).to_owned(),
            practitioner_id,
            read_at: state.and_then(|state| state.read_at).map(to_wire),
            tried_at: state.map(|state| to_wire(state.tried_at)),
            failing_since_at: state.and_then(|state| state.failing_since).map(to_wire),
            problem: state.map(|state| state.problem.clone()).unwrap_or_default(),
            events: state.map_or(0, |state| state.events),
            odd_events: state.map_or(0, |state| state.odd_events),
            busy_times: state.map_or(0, |state| state.busy_times),
        }
    }

    fn wire_feed(&self, practitioner_id: &str, feed: Option<&Feed>) -> CalendarFeed {
        CalendarFeed {
            practitioner_id: practitioner_id.to_owned(),
            practitioner_name: self.app.practice.name_of_practitioner(practitioner_id).to_owned(),
            path: feed.map(|feed| path(&self.app, feed.feed_id)).unwrap_or_default(),
            shows_client_names: feed.is_some_and(|feed| feed.shows_client_names),
            renewed_at: feed.map(|feed| to_wire(feed.renewed_at)),
        }
    }
}

#[tonic::async_trait]
impl BookingCalendarStaffService for CalendarStaffHandler {
    async fn list_calendar_feeds(
        &self,
        request: Request<ListCalendarFeedsRequest>,
    ) -> Result<Response<ListCalendarFeedsResponse>, Status> {
        let act = Act { action: "ListCalendarFeeds", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, CALENDAR_ROLES).await?;
        self.authorizer.audit_read(staff, act).await?;
        let known = calendar_feeds::all(self.app.store.pool()).await;
        let known = known.map_err(|error| unavailable(&error))?;
        let current = self.app.practitioners.ids();
        // The address of a practitioner who has left can still be taken away.
        let former = known.iter().map(|feed| feed.practitioner_id.clone());
        let former: Vec<String> = former.filter(|id| !current.contains(id)).collect();
        let scope = self.scope(staff).await?;
        let feeds =
            current.iter().chain(&former).filter(|id| scope.admits(id)).map(|id| {
                self.wire_feed(id, known.iter().find(|feed| feed.practitioner_id == *id))
            });
        Ok(Response::new(ListCalendarFeedsResponse { feeds: feeds.collect() }))
    }

    async fn renew_calendar_feed(
        &self,
        request: Request<RenewCalendarFeedRequest>,
    ) -> Result<Response<RenewCalendarFeedResponse>, Status> {
        let act = Act { action: calendar_feed::RENEW, subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, CALENDAR_ROLES).await?;
        let mut request = request.into_inner();
        let own = self.practitioner((staff, act), &mut request.practitioner_id).await?;
        request.practitioner_id = own;
        let renewed = renew_feed(&self.app, staff, request).await;
        let feed = audited(&self.authorizer, staff, act, renewed).await?;
        let feed = Some(self.wire_feed(&feed.practitioner_id, Some(&feed)));
        Ok(Response::new(RenewCalendarFeedResponse { feed }))
    }

    async fn stop_calendar_feed(
        &self,
        request: Request<StopCalendarFeedRequest>,
    ) -> Result<Response<StopCalendarFeedResponse>, Status> {
        let act = Act { action: calendar_feed::STOP, subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, CALENDAR_ROLES).await?;
        let mut request = request.into_inner();
        let own = self.practitioner((staff, act), &mut request.practitioner_id).await?;
        request.practitioner_id = own;
        let stopped = stop_feed(&self.app, staff, request).await;
        audited(&self.authorizer, staff, act, stopped).await?;
        Ok(Response::new(StopCalendarFeedResponse {}))
    }

    async fn list_calendar_sources(
        &self,
        request: Request<ListCalendarSourcesRequest>,
    ) -> Result<Response<ListCalendarSourcesResponse>, Status> {
        let act = Act { action: "ListCalendarSources", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, CALENDAR_ROLES).await?;
        self.authorizer.audit_read(staff, act).await?;
        let states = busy_times::states(self.app.store.pool()).await;
        let states = states.map_err(|error| unavailable(&error))?;
        let scope = self.scope(staff).await?;
        let sources = self.app.calendars.sources().iter();
        let sources = sources.filter(|it| scope.admits(&it.practitioner_id));
        let sources = sources.map(|it| self.wire_source(it, states.get(&it.calendar_id)));
        Ok(Response::new(ListCalendarSourcesResponse { sources: sources.collect() }))
    }

    async fn read_calendar_source(
        &self,
        request: Request<ReadCalendarSourceRequest>,
    ) -> Result<Response<ReadCalendarSourceResponse>, Status> {
        let act = Act { action: read_calendar::METHOD, subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, CALENDAR_ROLES).await?;
        let scope = self.scope(staff).await?;
        let set = read_soon(&self.app, (staff, &scope), request.into_inner()).await;
        audited(&self.authorizer, staff, act, set).await?;
        Ok(Response::new(ReadCalendarSourceResponse {}))
    }
}
