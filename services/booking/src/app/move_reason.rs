//! Why staff move a session, or ask its client for another time, for the practice alone.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use kernel::typed::Text;
use staff::Staff;

use crate::error::{Error, Rejection, refuse};
use crate::repository::move_reasons::{self, MoveReason};

/// How many characters a reason may have.
const CHARS_MAX: usize = 500;

/// What a member said. It is shown in no log.
#[derive(Clone)]
pub(super) struct Said {
    by: Staff,
    reason: String,
}

impl Said {
    /// Reads a reason; `None` where nothing was said.
    ///
    /// # Errors
    /// `MoveReason` when it is too long.
    pub(super) fn read(by: Staff, typed: &str) -> Result<Option<Self>, Error> {
        let reason = Text::parse(typed, CHARS_MAX).map(Text::into_string);
        let reason = reason.map_err(|_too_long| refuse(Rejection::MoveReason))?;
        Ok((!reason.is_empty()).then_some(Self { by, reason }))
    }

    /// Stores it beside what was done.
    ///
    /// # Errors
    /// When the database does not answer.
    pub(super) async fn store(
        &self,
        tx: &mut Tx,
        id: Id<Booking>,
        session: usize,
    ) -> Result<(), Error> {
        let (user_id, reason) = (self.by.id, self.reason.clone());
        let session = i32::try_from(session).unwrap_or(i32::MAX);
        let said_at = tx.now().await?;
        move_reasons::insert(tx, id, &MoveReason { session, user_id, reason, said_at }).await?;
        Ok(())
    }
}
