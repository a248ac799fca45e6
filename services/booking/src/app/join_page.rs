//! The pages of a booking's sessions: the practice's, with what a member needs to hold one, by
//! role, and the client's, with what it takes to come.

use contract::booking::v1 as wire;
use contract::convert::{timestamp, to_wire};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use super::App;
use super::page_keys::{FoundKey, NewPageKey, PageKeyPurpose, find_any, issue};
use super::staff_scope::Scope;
use crate::clients::meetings::Pass;
use crate::domain::join_window::{JoinWindow, join_window};
use crate::domain::page_standing::{PageEnd, PageStanding};
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view;
use crate::repository::page_keys::{CALENDAR_FILE, OF_PAGE};

/// The page of a booking, as the staff member of a scope may see it.
///
/// # Errors
/// `BookingNotFound`, or when the database does not answer.
pub async fn join_page(
    app: &App,
    booking_id: &str,
    scope: &Scope,
) -> Result<wire::GetJoinPageResponse, Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let id: Id<Booking> = booking_id.parse().map_err(|_malformed| not_found())?;
    let view = view::load(app.store.pool(), &app.practice, id).await?.ok_or_else(not_found)?;
    let booking = scope.shown(view).booking;
    Ok(shown(app, booking, app.store.now().await?))
}

/// The page of a client's key.
///
/// # Errors
/// `BookingNotFound` for a key that is not right, or when the database does not answer.
pub async fn client_page(app: &App, key: &str) -> Result<wire::ClientJoinPage, Error> {
    // Who may see the page of the booking may join the session, too.
    let found = find_any(app, key).await?;
    let booking = found.view.booking;
    let ended = match found.standing {
        PageStanding::Whole => return Ok(shown_to_client(app, booking, app.store.now().await?)),
        // When and with whom it was is nothing that a link in a mail has to show.
        PageStanding::MoneyOnly => return Ok(without_session(booking)),
        PageStanding::Ended(PageEnd::Adopted) => wire::JoinKeyEnd::Adopted,
        PageStanding::Ended(PageEnd::Renewed) => wire::JoinKeyEnd::Renewed,
        PageStanding::Ended(PageEnd::Over) => wire::JoinKeyEnd::Over,
    };
    let leads_on = ended == wire::JoinKeyEnd::Adopted;
    let booking_id = if leads_on { booking.booking_id } else { String::new() };
    Ok(wire::ClientJoinPage { booking_id, ended: ended.into(), ..Default::default() })
}

/// The page of a booking of this account.
///
/// # Errors
/// `BookingNotFound` for another account's, or when the database does not answer.
pub async fn own_page(
    app: &App,
    booking_id: &str,
    customer: Id<Customer>,
) -> Result<wire::ClientJoinPage, Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let id: Id<Booking> = booking_id.parse().map_err(|_malformed| not_found())?;
    let view = view::load(app.store.pool(), &app.practice, id).await?;
    let view = view.filter(|it| it.customer_id == customer).ok_or_else(not_found)?;
    Ok(shown_to_client(app, view.booking, app.store.now().await?))
}

/// The address of the page for a key, or without one for members and for the booking's owner.
#[must_use]
pub fn address(app: &App, booking_id: &str, key: &str) -> String {
    let site = &app.public_url;
    if key.is_empty() {
        format!("{site}/join/{booking_id}")
    } else {
        format!("{site}/join#key={key}")
    }
}

/// The address of the page for a calendar that is saved from the page of payment. Its key ends with
/// the one that has opened that page.
pub async fn calendar_address(app: &App, found: &FoundKey) -> Result<String, Error> {
    let key = key_from(app, found, CALENDAR_FILE).await?;
    Ok(address(app, &found.view.booking.booking_id, &key))
}

/// The key by which a booking's page leads to its sessions; none unless one is to come online. It
/// ends with the one that has opened the page.
///
/// # Errors
/// When the database does not answer.
pub async fn key_of_page(app: &App, found: &FoundKey) -> Result<String, Error> {
    let booking = &found.view.booking;
    let now = app.store.now().await?;
    let is_ahead = |session: &wire::Session| span(session).is_some_and(|it| now < it.ends_at());
    let is_joined = found.standing == PageStanding::Whole
        && booking.mode() == wire::SessionMode::Online
        && takes_place(booking.state())
        && booking.sessions.iter().any(is_ahead);
    if is_joined { key_from(app, found, OF_PAGE).await } else { Ok(String::new()) }
}

/// The key that was made for the page which a key has opened.
async fn key_from(app: &App, found: &FoundKey, made_for: &str) -> Result<String, Error> {
    let opened_by = found.id.map_or_else(|| "the release before".to_owned(), |id| id.to_string());
    let new = NewPageKey {
        booking_id: found.booking_id,
        purpose: PageKeyPurpose::Join,
        made_for: &format!("{made_for}{opened_by}"),
        mailed_to: "",
        seen_by_staff: found.seen_by_staff,
    };
    issue(app, &new).await
}

/// What of a booking stands on a client's page at a moment.
fn shown_to_client(app: &App, booking: wire::Booking, now: Timestamp) -> wire::ClientJoinPage {
    let window = window_of(&booking, now);
    let room = window.filter(|_| booking.mode() == wire::SessionMode::Online);
    let number = window.and_then(|it| i32::try_from(it.number).ok());
    wire::ClientJoinPage {
        session_number: number.unwrap_or_default(),
        room_opens_at: room.map(|it| to_wire(it.opens_at)),
        room_closes_at: room.map(|it| to_wire(it.closes_at)),
        room_url: room
            .filter(|it| it.is_open)
            .map(|it| entrance(app, booking.join_url, it, false))
            .unwrap_or_default(),
        booking_id: booking.booking_id,
        state: booking.state,
        // What they cost is on no page that a mail leads to.
        sessions: booking
            .sessions
            .into_iter()
            .map(|it| wire::Session { share: None, ..it })
            .collect(),
        time_zone: booking.time_zone,
        mode: booking.mode,
        location: booking.location,
        practitioner_name: booking.practitioner_name,
        ended: wire::JoinKeyEnd::Unspecified.into(),
    }
}

fn without_session(booking: wire::Booking) -> wire::ClientJoinPage {
    // Nor is whether its client came.
    let state = match booking.state() {
        wire::BookingState::NoShow => wire::BookingState::Completed,
        other => other,
    };
    wire::ClientJoinPage {
        booking_id: booking.booking_id,
        state: state.into(),
        time_zone: booking.time_zone,
        ..wire::ClientJoinPage::default()
    }
}

/// What of a booking stands on the practice's page at a moment.
fn shown(app: &App, booking: wire::Booking, now: Timestamp) -> wire::GetJoinPageResponse {
    let window = window_of(&booking, now);
    let is_online = booking.mode() == wire::SessionMode::Online;
    let contact = booking.contact.unwrap_or_default();
    wire::GetJoinPageResponse {
        notes: window.map(|_to_come| contact.notes).unwrap_or_default(),
        room_opens_at: window.filter(|_| is_online).map(|it| to_wire(it.opens_at)),
        join_url: window
            .filter(|it| it.is_open)
            .map(|it| entrance(app, booking.join_url, it, true))
            .unwrap_or_default(),
        client_first_name: contact.first_name,
        booking_id: booking.booking_id,
        state: booking.state,
        sessions: booking.sessions,
        time_zone: booking.time_zone,
        service_title: booking.service_title,
        practitioner_name: booking.practitioner_name,
        mode: booking.mode,
        location: booking.location,
    }
}

/// The stored link as a person can use it while the room is open.
fn entrance(app: &App, link: String, window: JoinWindow, is_host: bool) -> String {
    let JoinWindow { opens_at, closes_at, .. } = window;
    app.meetings.entrance(link, Pass { is_host, opens_at, closes_at })
}

/// The link for a mail, which may be read at any time before the session ends.
///
/// # Errors
/// When the database does not answer.
pub async fn mailed_room(app: &App, booking: &mut wire::Booking) -> Result<(), Error> {
    if !app.practice.mails.second_reminder_names_room || booking.join_url.is_empty() {
        return Ok(());
    }
    let link = std::mem::take(&mut booking.join_url);
    let window = window_of(booking, app.store.now().await?);
    booking.join_url = match window {
        Some(window) => entrance(app, link, window, false),
        None => link,
    };
    Ok(())
}

fn window_of(booking: &wire::Booking, now: Timestamp) -> Option<JoinWindow> {
    let sessions = booking.sessions.iter().map(span);
    takes_place(booking.state()).then(|| join_window(sessions, now)).flatten()
}

fn takes_place(state: wire::BookingState) -> bool {
    matches!(
        state,
        wire::BookingState::Confirmed
            | wire::BookingState::MeetingScheduled
            | wire::BookingState::Completed
    )
}

/// When a session that was not cancelled takes place.
fn span(session: &wire::Session) -> Option<Span> {
    let instant = |it: &Option<_>| it.as_ref().and_then(timestamp);
    let (from, to) = (instant(&session.starts_at)?, instant(&session.ends_at)?);
    Span::new(from, to).filter(|_| !session.cancelled)
}
