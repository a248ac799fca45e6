//! What a visitor scheduled in the provider's own widget: it is taken over after asking the
//! provider's API, kept for a booking for a while, and given back when no booking gets it. The day
//! stays the truth: a time is held by `RequestBooking` and in no other way.

use std::sync::Arc;

use contract::booking::v1::{
    OpenSchedulingVisitRequest, OpenSchedulingVisitResponse, TakeScheduledEventRequest,
};
use eventstore::{Metadata, new_uuid};
use kernel::{CommandError, Timestamp};
use practice::SchedulingWidget;

use super::App;
use super::hold_origin::HoldOrigin;
use crate::clients::scheduling::{EventAddress, FoundEvent, Provider, Scheduling, SchedulingError};
use crate::domain::report::ReportId;
use crate::error::{Error, Rejection, refuse};
use crate::repository::scheduled_events::{self, ScheduledEvent};

/// How long a booking can be requested with an event, in minutes: sign-up, consent and details come
/// between.
pub const VALID_MINUTES: i64 = 30;

/// Begins the visit of a page that shows the widget.
///
/// # Errors
/// `WidgetNotOffered`.
pub async fn open_visit(
    app: &App,
    request: &OpenSchedulingVisitRequest,
) -> Result<OpenSchedulingVisitResponse, Error> {
    offered(app, &request.service_id)?;
    let visit = new_uuid();
    let visit_token = app.widget_visits.token(visit, app.store.now().await?);
    Ok(OpenSchedulingVisitResponse { visit_id: visit.simple().to_string(), visit_token })
}

/// Takes an event over, after asking the provider about it. Repeated, it gives the same.
///
/// # Errors
/// `WidgetNotOffered`, `VisitEnded`, `TooManyScheduledEvents`, `EventTypesUnavailable`,
/// `NoEventTypes`, `ScheduledEventUnavailable`, `ScheduledEventNotFound`, `OtherEventType`,
/// `ScheduledEventUsed`.
pub async fn take_scheduled_event(
    app: &Arc<App>,
    origin: &HoldOrigin,
    request: TakeScheduledEventRequest,
) -> Result<ScheduledEvent, Error> {
    let (provider, widget) = offered(app, &request.service_id)?;
    let not_found = || refuse(Rejection::ScheduledEventNotFound);
    let visit_id: ReportId = request.visit_id.parse().map_err(|_malformed| not_found())?;
    let address = provider.event_address(&request.event_uri, &request.invitee_uri);
    let address = address.ok_or_else(not_found)?;
    let now = app.store.now().await?;
    if !app.widget_visits.is_valid(visit_id.uuid(), &request.visit_token, now) {
        return Err(refuse(Rejection::VisitEnded));
    }
    let known = scheduled_events::find(app.store.pool(), address.event_uri()).await?;
    if known.is_none() {
        app.widget_visits.begin_question(origin.network.as_deref(), &address)?;
        let found = ask(provider, widget, &address).await?;
        if found.is_none() {
            app.widget_visits.note_missing(&address);
        }
        let starts_at = start_of(&found.ok_or_else(not_found)?, &request.visit_id, now)?;
        let event = ScheduledEvent {
            booking: address.calendar_booking(),
            visit_id: visit_id.uuid(),
            service_id: request.service_id.clone(),
            starts_at,
            until_at: now.plus_minutes(VALID_MINUTES),
        };
        store(app, event).await?;
    }
    // Of two calls at once the first one's is stored.
    let stored = scheduled_events::find(app.store.pool(), address.event_uri()).await?;
    let (event, is_taken) = stored.ok_or_else(not_found)?;
    if event.visit_id != visit_id.uuid() {
        return Err(not_found());
    }
    if !is_taken || !event.is_for(&request.service_id, event.starts_at, now) {
        return Err(refuse(Rejection::ScheduledEventUsed));
    }
    Ok(event)
}

/// The provider and the widget of a service whose time is chosen in it.
fn offered<'a>(
    app: &'a App,
    service_id: &str,
) -> Result<(&'a Provider, &'a SchedulingWidget), Error> {
    let widget = app.practice.scheduling_widgets.iter().find(|it| it.service_id == service_id);
    match (&app.scheduling, widget) {
        (Scheduling::External(provider), Some(widget)) => Ok((provider, widget)),
        _ => Err(refuse(Rejection::WidgetNotOffered)),
    }
}

/// What the provider has at an address.
async fn ask(
    provider: &Provider,
    widget: &SchedulingWidget,
    address: &EventAddress,
) -> Result<Option<FoundEvent>, Error> {
    provider.scheduled_event(address, &widget.event_type).await.map_err(|error| {
        tracing::warn!("the scheduling provider did not say what was scheduled");
        refuse(match error {
            SchedulingError::EventTypes(_) => Rejection::EventTypesUnavailable,
            SchedulingError::NoEventTypes => Rejection::NoEventTypes,
            SchedulingError::Booking(_) | SchedulingError::Cancellation(_) => {
                Rejection::ScheduledEventUnavailable
            }
        })
    })
}

/// The start of an event, if it is as it should be.
fn start_of(found: &FoundEvent, visit_id: &str, now: Timestamp) -> Result<Timestamp, Error> {
    if !found.is_active || found.starts_at <= now || found.visit_id != visit_id {
        return Err(refuse(Rejection::ScheduledEventNotFound));
    }
    if !found.is_of_the_type {
        return Err(refuse(Rejection::OtherEventType));
    }
    Ok(found.starts_at)
}

async fn store(app: &Arc<App>, event: ScheduledEvent) -> Result<(), Error> {
    let event = Arc::new(event);
    let metadata = Metadata::traced("visitor");
    app.store
        .write(metadata, move |tx| {
            let event = Arc::clone(&event);
            Box::pin(async move { Ok(scheduled_events::insert(tx, &event).await?) })
        })
        .await
}

/// Gives an event back at once where its time can't be had; otherwise the client may correct the
/// request until the event's end. That this fails only delays it.
pub(super) async fn give_back(
    app: &Arc<App>,
    (event_uri, starts_at): (String, Timestamp),
    error: &Error,
) {
    let CommandError::Rejected(
        Rejection::SlotTaken
        | Rejection::SlotPast
        | Rejection::SlotNotOffered
        | Rejection::OverlapsOwnSession,
    ) = error
    else {
        return;
    };
    let metadata = Metadata::traced("booking");
    let ended: Result<(), Error> = app
        .store
        .write(metadata, move |tx| {
            let event_uri = event_uri.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                Ok(scheduled_events::end(tx, (&event_uri, starts_at), now).await?)
            })
        })
        .await;
    if ended.is_err() {
        tracing::warn!("an event of the scheduling provider is given back later");
    }
}
