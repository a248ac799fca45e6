//! I2 among bookings: no practitioner and no client has two live sessions at one time. Sessions are
//! collected from all parts of a practice and compared at the end.

use booking::domain::booking::{ConfirmationBasis, Event, Facts};
use booking::domain::span::Span;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use crate::graces::Graces;
use crate::history::HistoryEvent;
use crate::names::Names;
use crate::snapshot::{Holder, ReservationRow};
use crate::violation::Finding;

/// The sessions of live bookings.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    practitioners: Names,
    sessions: Vec<Session>,
    /// The sessions that were cancelled with grace.
    pub(crate) graces: Graces,
}

#[derive(Debug, Clone, Copy)]
struct Session {
    booking: Id<Booking>,
    customer: Id<Customer>,
    practitioner: u32,
    span: Span,
    /// The booking was confirmed by its client's word: staff judge for themselves whether it may
    /// stand beside another one.
    by_word: bool,
}

impl Sessions {
    /// Adds the sessions of a live booking that stand.
    pub(crate) fn add(
        &mut self,
        booking: Id<Booking>,
        facts: &Facts,
        past: &[HistoryEvent<Event>],
        spans: impl Iterator<Item = Span>,
    ) {
        let practitioner = self.practitioners.number(&facts.practitioner_id);
        let by_word = past.iter().any(by_word);
        let customer = facts.customer_id;
        let new = spans.map(|span| Session { booking, customer, practitioner, span, by_word });
        self.sessions.extend(new);
    }

    /// Compares all sessions.
    pub(crate) fn check(&mut self, found: &mut Finding) {
        self.sessions.sort_by_key(|it| (it.practitioner, it.span.starts_at()));
        let of_practitioners =
            self.sessions.iter().map(|it| (it.practitioner, it.span, it.booking));
        overlaps(of_practitioners, |one, other| {
            found.add(format!("{one} and {other} are both live at one time"));
        });
        self.sessions.sort_by_key(|it| (it.customer, it.span.starts_at()));
        let of_clients = self.sessions.iter().filter(|it| !it.by_word);
        let of_clients = of_clients.map(|it| (it.customer, it.span, it.booking));
        overlaps(of_clients, |one, other| {
            found.add(format!("{one} and {other} are one client's at one time"));
        });
    }
}

fn by_word(past: &HistoryEvent<Event>) -> bool {
    matches!(past.event, Event::Confirmed { basis: ConfirmationBasis::Claim, .. })
}

/// Live rows of `slot_reservations`, which come by practitioner and time.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    before: Option<(String, Timestamp, Holder)>,
}

impl Rows {
    /// Compares a row with those before it.
    pub(crate) fn add(&mut self, row: &ReservationRow, found: &mut Finding) {
        if let Some((practitioner, ends_at, holder)) = &self.before
            && *practitioner == row.practitioner_id
            && row.starts_at < *ends_at
        {
            found.add(format!("the rows of {holder:?} and {:?} overlap", row.holder));
            if *ends_at >= row.ends_at {
                return;
            }
        }
        self.before = Some((row.practitioner_id.clone(), row.ends_at, row.holder));
    }
}

/// Reports each time that begins before the one before it has ended; they come by owner and start.
fn overlaps<O: PartialEq, N: Copy>(
    sorted: impl Iterator<Item = (O, Span, N)>,
    mut report: impl FnMut(N, N),
) {
    let mut before: Option<(O, Timestamp, N)> = None;
    for (owner, span, name) in sorted {
        if let Some((last_owner, ends_at, other)) = &before
            && *last_owner == owner
            && span.starts_at() < *ends_at
        {
            report(*other, name);
            if *ends_at >= span.ends_at() {
                continue;
            }
        }
        before = Some((owner, span.ends_at(), name));
    }
}
