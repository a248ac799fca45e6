//! The payers that documents of bookings name.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Booking;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::payer::Payer;

/// The payer of a booking, if it gave name and address.
pub async fn of(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<Payer>, StoreError> {
    let row = sqlx::query("select * from payers where booking_id = $1")
        .bind(booking_id)
        .fetch_optional(executor)
        .await?;
    let columns = ["name", "gstin", "address", "state_code"];
    Ok(row.map(|row| read(&row, columns)).transpose()?.flatten())
}

/// Stores a booking's payer, replacing an earlier one.
pub async fn upsert(tx: &mut Tx, booking_id: Id<Booking>, payer: &Payer) -> Result<(), StoreError> {
    sqlx::query(
        "insert into payers (booking_id, name, gstin, address, state_code)
         values ($1, $2, $3, $4, $5)
         on conflict (booking_id) do update
         set name = excluded.name, gstin = excluded.gstin, address = excluded.address,
             state_code = excluded.state_code",
    )
    .bind(booking_id)
    .bind(&payer.name)
    .bind(&payer.gstin)
    .bind(&payer.address)
    .bind(&payer.state)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes a booking's payer, so that its documents name the client.
pub async fn delete(tx: &mut Tx, booking_id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query("delete from payers where booking_id = $1")
        .bind(booking_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Reads name, GSTIN, address and state from a row; none where there is no name.
pub(super) fn read(
    row: &PgRow,
    [name, gstin, address, state]: [&str; 4],
) -> Result<Option<Payer>, sqlx::Error> {
    let payer = Payer {
        name: row.try_get(name)?,
        gstin: row.try_get(gstin)?,
        address: row.try_get(address)?,
        state: row.try_get(state)?,
    };
    Ok((!payer.name.is_empty()).then_some(payer))
}
