//! The grace of a booking's policy: how often its client may still cancel late and lose less. It is
//! counted under the client's lock.

use eventstore::Tx;
use kernel::{CancellationPolicy, Money, Timestamp};

use super::App;
use crate::domain::grace::GraceUses;
use crate::error::Error;
use crate::read_model::grace_uses;
use crate::repository::LockedBooking;

/// More than the most months of a grace, in minutes.
const SINCE_MINUTES: i64 = 750 * 24 * 60;

/// What of a refund comes back by grace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraceUse {
    /// What comes back of the price by it.
    pub refund: Money,
    /// From when the client has grace again.
    pub again_at: Timestamp,
}

/// The grace of a booking, if its policy has any.
#[derive(Debug, Clone)]
pub(super) struct ClientGrace(Option<GraceUses>);

impl ClientGrace {
    /// That of a locked booking.
    pub(super) async fn of(
        tx: &mut Tx,
        app: &App,
        locked: &LockedBooking,
        unwritten: &CancellationPolicy,
    ) -> Result<Self, Error> {
        let Some(facts) = locked.state.facts() else { return Ok(Self(None)) };
        let Some(grace) = facts.policy(unwritten).grace() else { return Ok(Self(None)) };
        let now = locked.now;
        let since = now.plus_minutes(-SINCE_MINUTES);
        let uses = grace_uses::of_client(tx, facts.customer_id, since, now).await?;
        let zone = &app.practice.practice.zone;
        Ok(Self(Some(GraceUses::of(grace, zone, &uses, now))))
    }

    /// How often it is left.
    pub(super) fn left(&self) -> u16 {
        self.0.as_ref().map_or(0, GraceUses::left)
    }

    /// A use of so many times that gives this back; `None` for none.
    pub(super) fn used(&self, times: u16, refund: Money) -> Option<GraceUse> {
        let uses = self.0.as_ref().filter(|_| times > 0)?;
        Some(GraceUse { refund, again_at: uses.again_at(times) })
    }
}
