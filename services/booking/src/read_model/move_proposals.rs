//! The other time that the practice asks for: a column of `bookings`.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::types::Json;

use crate::domain::booking::MoveProposal;

/// A proposal, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    /// The number of its session, from 1.
    session: usize,
    choose_until: Timestamp,
}

/// Stores it, or that there is none any more.
pub(super) async fn set(
    tx: &mut Tx,
    id: Id<Booking>,
    proposal: Option<&MoveProposal>,
) -> Result<(), StoreError> {
    let stored = proposal.map(|proposal| {
        let MoveProposal { session, choose_until, .. } = *proposal;
        Json(Stored { session, choose_until })
    });
    sqlx::query(
        "update bookings set move_proposal = $2, version = version + 1 where booking_id = $1",
    )
    .bind(id)
    .bind(stored)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The proposal of a booking's row.
pub(super) fn read(row: &PgRow) -> Result<Option<wire::MoveProposal>, StoreError> {
    let stored: Option<Json<Stored>> = row.try_get("move_proposal")?;
    Ok(stored.map(|Json(stored)| wire::MoveProposal {
        session_number: i32::try_from(stored.session).unwrap_or(i32::MAX),
        choose_until_at: Some(to_wire(stored.choose_until)),
    }))
}
