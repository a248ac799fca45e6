//! The moves of sessions, and the mails that belong to one.

use std::collections::BTreeMap;

use contract::booking::v1::BookingMoved;
use eventstore::Recorded;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

/// A session got another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    /// The number of the session, from 1.
    pub(crate) session: usize,
    /// How often that session had been moved by then.
    pub(crate) number: i32,
    /// When it was moved.
    pub(crate) at: Timestamp,
}

/// The moves of each booking, as its events tell them.
#[derive(Debug, Default)]
pub(crate) struct Moves(BTreeMap<Id<Booking>, Vec<Move>>);

impl Moves {
    /// Takes a booking's event in.
    pub(crate) fn take_in(&mut self, id: Id<Booking>, stored: &Recorded) {
        if let Ok(Some(moved)) = stored.get::<BookingMoved>()
            && let Ok(session) = usize::try_from(moved.session_number)
        {
            let Recorded { recorded_at: at, .. } = *stored;
            self.add(id, Move { session, number: moved.move_number, at });
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Id<Booking>, Move)> {
        self.0.iter().flat_map(|(id, moves)| moves.iter().map(|it| (*id, *it)))
    }

    /// The move that a mail belongs to, if it belongs to one.
    pub(crate) fn of(&self, id: Id<Booking>, told: MailSubject) -> Option<Move> {
        let mut moves = self.0.get(&id).into_iter().flatten();
        moves.find(|it| it.session == told.session && it.number == told.number).copied()
    }

    /// Whether the session of a mail was moved after the move that the mail belongs to.
    pub(crate) fn has_later(&self, id: Id<Booking>, told: MailSubject) -> bool {
        let mut moves = self.0.get(&id).into_iter().flatten();
        moves.any(|it| it.session == told.session && it.number > told.number)
    }

    fn add(&mut self, id: Id<Booking>, moved: Move) {
        self.0.entry(id).or_default().push(moved);
    }
}

/// What the subject of a mail about a booking names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MailSubject {
    /// The number of the session: of the first one, where none is named.
    pub(crate) session: usize,
    /// The number of the move; 0 where none is named.
    pub(crate) number: i32,
}

impl MailSubject {
    /// Reads a subject: "bkg_…", "bkg_…/2" or "bkg_…/2/move 1".
    pub(crate) fn by(subject: &str) -> Self {
        let mut parts = subject.split('/').skip(1);
        let session = parts.next().and_then(|number| number.parse().ok());
        let moved = parts.next().and_then(|part| part.strip_prefix("move "));
        Self {
            session: session.unwrap_or(1),
            number: moved.and_then(|number| number.parse().ok()).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, Timestamp};
    use uuid::Uuid;

    use super::{MailSubject, Move, Moves};

    #[test]
    fn a_subject_names_the_session_and_the_move() {
        let told = |subject| {
            let MailSubject { session, number } = MailSubject::by(subject);
            (session, number)
        };
        assert_eq!(told("bkg_1"), (1, 0));
        assert_eq!(told("bkg_1/2"), (2, 0));
        assert_eq!(told("bkg_1/2/move 3"), (2, 3));
        assert_eq!(told("bkg_1/page 2"), (1, 0));
    }

    #[test]
    fn a_mail_is_overtaken_by_a_later_move_of_its_own_session() {
        let id = Id::from_uuid(Uuid::from_u128(1));
        let mut moves = Moves::default();
        for (session, number) in [(1, 1), (1, 2), (2, 1)] {
            moves.add(id, Move { session, number, at: Timestamp::EPOCH });
        }
        let overtaken = ["bkg_1", "bkg_1/1/move 1", "bkg_1/2"];
        assert!(overtaken.iter().all(|subject| moves.has_later(id, MailSubject::by(subject))));
        let last = ["bkg_1/1/move 2", "bkg_1/2/move 1", "bkg_1/3"];
        assert!(!last.iter().any(|subject| moves.has_later(id, MailSubject::by(subject))));
        assert!(moves.of(id, MailSubject::by("bkg_1/1/move 2")).is_some());
        assert_eq!(moves.of(id, MailSubject::by("bkg_1/1/move 3")), None);
        assert_eq!(moves.all().count(), 3);
    }
}
