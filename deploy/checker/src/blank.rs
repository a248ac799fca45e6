//! A snapshot of nothing, with what belongs to every page: the events that no consumer has taken
//! in.

use anyhow::Result;
use sqlx::Row as _;

use crate::snapshot::{
    BookingStore, Log, NotificationsStore, ParkedRow, PaymentsStore, ProviderBook, Snapshot,
};
use crate::stores::Stores;

/// The events that no consumer has taken in, by the service whose consumer it is.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    /// Those of booking's consumers.
    pub(crate) booking: Vec<ParkedRow>,
    /// Those of notifications' consumers.
    pub(crate) notifications: Vec<ParkedRow>,
    /// How many there are in all services.
    pub(crate) count: usize,
}

impl Parked {
    /// Reads them.
    pub(crate) async fn read(stores: &mut Stores) -> Result<Self> {
        let mut all = Self::default();
        for store in stores.all() {
            let query = sqlx::query(
                "select consumer, source, position, stream_id, error from parked_events",
            );
            let rows = store
                .rows(query, |row| {
                    Ok(ParkedRow {
                        consumer: row.try_get(0)?,
                        source: row.try_get(1)?,
                        position: row.try_get(2)?,
                        stream_id: row.try_get(3)?,
                        error: row.try_get(4)?,
                    })
                })
                .await?;
            all.count += rows.len();
            match store.name {
                "booking" => all.booking = rows,
                "notifications" => all.notifications = rows,
                _ => {}
            }
        }
        Ok(all)
    }
}

/// A snapshot of nothing.
pub(crate) fn empty(stores: &Stores, parked: &Parked) -> Snapshot {
    let log = |parked: &[ParkedRow]| Log { parked: parked.to_vec(), ..Log::default() };
    Snapshot {
        taken_at: stores.taken_at,
        booking: BookingStore { log: log(&parked.booking), ..BookingStore::default() },
        payments: PaymentsStore::default(),
        notifications: NotificationsStore {
            log: log(&parked.notifications),
            ..NotificationsStore::default()
        },
        identity: None,
        reviews: None,
        provider: ProviderBook::default(),
        inbox: Vec::new(),
        acks: Vec::new(),
        mail_repeats_injected: 0,
        reminder_hours: stores.reminder_hours,
        is_of_this_version: false,
    }
}
