//! The rows of payment links and of the orders beneath them.

use std::collections::BTreeSet;

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, PaymentLink};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::collection::Collection;
use crate::domain::fact::{LinkId, OrderId};
use crate::domain::link::{Link, LinkStatus, ProviderLink, Withdrawal};

/// The status of a link that the provider does not have.
const ABSENT: &str = "absent";

/// A payment link as its row has it.
#[derive(Debug, Clone)]
pub struct LinkRow {
    /// Our id, the reference.
    pub link_id: Id<PaymentLink>,
    /// What it pays for.
    pub booking_id: Id<Booking>,
    /// When we meant to create it.
    pub opened_at: Timestamp,
    /// What is known of it.
    pub link: Link,
}

/// The columns of a link `l`, under names of their own.
pub(super) const COLUMNS: &str = "l.link_id as link_link_id, l.booking_id as link_booking_id,
        l.provider_link_id as link_provider_link_id, l.url as link_url, l.status as link_status,
        l.withdrawn as link_withdrawn, l.expires_at as link_expires_at,
        l.opened_at as link_opened_at,
        array(select o.order_id from payment_link_orders o
              where o.link_id = l.link_id) as link_orders";

/// Reads these columns; none where there is no link.
pub(super) fn link_row(row: &PgRow) -> Result<Option<LinkRow>, sqlx::Error> {
    let link_id: Option<Id<PaymentLink>> = row.try_get("link_link_id")?;
    let Some(link_id) = link_id else { return Ok(None) };
    let id: Option<String> = row.try_get("link_provider_link_id")?;
    let url: Option<String> = row.try_get("link_url")?;
    let created = id.zip(url).map(|(id, url)| {
        LinkId::parse(&id).map(|id| ProviderLink { id, url }).ok_or_else(|| impossible("link_id"))
    });
    let status: &str = row.try_get("link_status")?;
    let is_absent = status == ABSENT;
    let status = LinkStatus::from_word(status);
    let withdrawn: Option<&str> = row.try_get("link_withdrawn")?;
    let orders: Vec<String> = row.try_get("link_orders")?;
    Ok(Some(LinkRow {
        link_id,
        booking_id: row.try_get("link_booking_id")?,
        opened_at: row.try_get("link_opened_at")?,
        link: Link {
            expires_at: row.try_get("link_expires_at")?,
            created: created.transpose()?,
            status: match status {
                Some(status) => status,
                None if is_absent => LinkStatus::Created,
                None => return Err(impossible("status")),
            },
            orders: orders.iter().filter_map(|id| OrderId::parse(id)).collect::<BTreeSet<_>>(),
            withdrawn: withdrawn.and_then(Withdrawal::from_word),
            is_absent,
        },
    }))
}

/// A column holds a value that this service never writes.
fn impossible(column: &str) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: "an impossible value".into() }
}

/// The links of a booking, oldest first.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Vec<LinkRow>, StoreError> {
    let sql = format!(
        "select {COLUMNS} from payment_links l where l.booking_id = $1 order by l.opened_at"
    );
    // Safe: every part of it is a constant of this module.
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(booking_id).fetch_all(executor).await?;
    let links: Result<Vec<_>, _> = rows.iter().map(link_row).collect();
    Ok(links?.into_iter().flatten().collect())
}

/// A link by our id.
pub async fn link(
    executor: impl PgExecutor<'_>,
    link_id: Id<PaymentLink>,
) -> Result<Option<LinkRow>, StoreError> {
    let sql = format!("select {COLUMNS} from payment_links l where l.link_id = $1");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(link_id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(link_row).transpose()?.flatten())
}

/// Writes a collection's links as they stand now.
pub(super) async fn write(
    tx: &mut Tx,
    collection: &Collection,
    now: Timestamp,
) -> Result<(), StoreError> {
    let booking_id = collection.terms.booking_id;
    for (link_id, link) in &collection.links {
        write_link(tx, (booking_id, *link_id), link, (collection.provider_name(), now)).await?;
        for order in &link.orders {
            sqlx::query(
                "insert into payment_link_orders (order_id, link_id, booking_id)
                 values ($1, $2, $3) on conflict do nothing",
            )
            .bind(order.as_str())
            .bind(link_id)
            .bind(booking_id)
            .execute(tx.connection())
            .await?;
        }
    }
    Ok(())
}

async fn write_link(
    tx: &mut Tx,
    (booking_id, link_id): (Id<Booking>, Id<PaymentLink>),
    link: &Link,
    (provider, now): (&str, Timestamp),
) -> Result<(), StoreError> {
    let created = link.created.as_ref();
    sqlx::query(
        "insert into payment_links (link_id, booking_id, provider, provider_link_id, url, status,
                                    withdrawn, withdrawn_at, expires_at, opened_at)
         values ($1, $2, $3, $4, $5, $6, $7, case when $7 is not null then $9 end, $8, $9)
         on conflict (link_id) do update
         set provider = excluded.provider, provider_link_id = excluded.provider_link_id,
             url = excluded.url, status = excluded.status, withdrawn = excluded.withdrawn,
             withdrawn_at = coalesce(payment_links.withdrawn_at, excluded.withdrawn_at)",
    )
    .bind(link_id)
    .bind(booking_id)
    .bind(provider)
    .bind(created.map(|created| created.id.as_str()))
    .bind(created.map(|created| created.url.as_str()))
    .bind(if link.is_absent { ABSENT } else { link.status.word() })
    .bind(link.withdrawn.map(Withdrawal::word))
    .bind(link.expires_at)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}
