//! Events from which nothing follows at a consumer. They wait for the next event from which
//! something does, or for a second, and move the checkpoint with it: a transaction for each would
//! cost as much as one that does something. Until then they are only in memory, and a process that
//! dies reads them again.

use std::time::Duration;

use contract::events::is_read_by;
use eventstore::Recorded;
use eventstore::checkpoint::FeedPosition;
use tokio::time::Instant;

use crate::wire::ReceivedEvent;

/// How many events wait at most.
const DEFERRED_MAX: usize = 64;
/// How long an event waits at most.
const DEFERRED_FOR: Duration = Duration::from_secs(1);

/// Events that wait, and the place in the feed that was reached with them.
#[derive(Debug, Default)]
pub(crate) struct Deferred {
    /// The last event that was handled or waits; `None` if only the checkpoint tells.
    place: Option<FeedPosition>,
    events: Vec<Option<ReceivedEvent>>,
    since: Option<Instant>,
}

impl Deferred {
    /// Takes all of these events, if none of them matters to the service and they follow on what
    /// was reached. Returns whether it did; if not, nothing has changed.
    pub(crate) fn defer(
        &mut self,
        service: &str,
        received: &mut Vec<Option<ReceivedEvent>>,
    ) -> bool {
        let Some(mut place) = self.place else { return false };
        if self.events.len() + received.len() > DEFERRED_MAX {
            return false;
        }
        for one in received.iter() {
            let Some(ReceivedEvent { event, previous }) = one else { return false };
            let is_other = place.event_id.zip(*previous).is_some_and(|(known, it)| known != it);
            if event.position != place.position + 1
                || is_other
                || is_read_by(service, &event.event_type)
            {
                return false;
            }
            place = place_of(event);
        }
        self.place = Some(place);
        self.events.append(received);
        self.since.get_or_insert_with(Instant::now);
        true
    }

    /// The events that wait. After this only the checkpoint tells what was reached.
    pub(crate) fn take(&mut self) -> Vec<Option<ReceivedEvent>> {
        (self.place, self.since) = (None, None);
        std::mem::take(&mut self.events)
    }

    /// Notes that an event, and all before it, were handled.
    pub(crate) fn handled(&mut self, event: &Recorded) {
        if self.place.is_none_or(|place| place.position < event.position) {
            self.place = Some(place_of(event));
        }
    }

    /// Notes that nothing is left after this place.
    pub(crate) fn reached(&mut self, place: FeedPosition) {
        self.place = Some(place);
    }

    /// Lets the checkpoint tell again what was reached, unless events wait.
    pub(crate) fn forget_place(&mut self) {
        if self.events.is_empty() {
            self.place = None;
        }
    }

    /// The place that was reached, with what waits.
    pub(crate) fn place(&self) -> Option<FeedPosition> {
        self.place
    }

    /// In how long the events that wait have waited long enough; `None` if there are none.
    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.since.map(|since| DEFERRED_FOR.saturating_sub(since.elapsed()))
    }
}

fn place_of(event: &Recorded) -> FeedPosition {
    FeedPosition { position: event.position, event_id: Some(event.event_id) }
}
