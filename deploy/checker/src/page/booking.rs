//! What booking's database holds about a range of bookings.

use anyhow::Result;
use booking::timers::kinds::{CREATE_MEETING, HOLD_END, SESSION_END};
use kernel::Id;
use kernel::id::Booking;

use crate::range::Range;
use crate::rows;
use crate::snapshot::BookingStore;
use crate::stores::Store;
use crate::streams::{events, timer};

/// Events, rows, times and timers.
pub(super) async fn read(store: &mut Store, range: &Range, into: &mut BookingStore) -> Result<()> {
    into.log.events = events(store, range, "booking-").await?;
    let bookings = range.query(
        "select * from bookings where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.bookings = store.rows(bookings, rows::booking).await?;
    let times = range.query(
        "select * from slot_reservations
         where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    into.reservations = store.rows(times, rows::reservation).await?;
    // A session's subject is its booking's id, alone or with the session's number behind it.
    let id = |uuid| Id::<Booking>::from_uuid(uuid).to_string();
    let timers = sqlx::query(
        "select kind, subject, due_at from timers
         where kind = any($1) and subject between $2 and $3",
    );
    let kinds: Vec<String> = [HOLD_END, SESSION_END, CREATE_MEETING].map(str::to_owned).to_vec();
    let timers = timers.bind(kinds).bind(id(range.first)).bind(format!("{}g", id(range.last)));
    into.log.timers = store.rows(timers, timer).await?;
    Ok(())
}
