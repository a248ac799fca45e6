//! What earlier releases have left, and the upgrade mends once: it is listed before, and what stays
//! of it after. None of it breaks an invariant.

use anyhow::Result;
use kernel::Id;
use kernel::id::{Booking, Consent};
use sqlx::Row as _;

use crate::report::Report;
use crate::stores::Store;

/// Whether booking's tables are those of a release that looked at each refund alone.
pub(crate) async fn is_before(booking: &mut Store) -> Result<bool> {
    let query = sqlx::query("select to_regclass('booking_refunds') is null");
    let found: Vec<bool> = booking.rows(query, |row| row.try_get(0)).await?;
    Ok(found.contains(&true))
}

async fn has_column(booking: &mut Store, table: &str, column: &str) -> Result<bool> {
    let query = sqlx::query(
        "select exists (select from information_schema.columns
                        where table_name = $1 and column_name = $2)",
    );
    let query = query.bind(table).bind(column);
    let found: Vec<bool> = booking.rows(query, |row| row.try_get(0)).await?;
    Ok(found.contains(&true))
}

/// Consents of which it is not known who gave them: staff had seen the key of the page.
pub(crate) async fn consents(booking: &mut Store, report: &mut Report) -> Result<()> {
    let is_recorded = has_column(booking, "consents", "channel").await?;
    let (sql, what) = if is_recorded {
        (
            "select consent_id, booking_id from consents where channel = 'unknown'
             order by given_at",
            "carries \"way unknown\": staff had seen the key of its page",
        )
    } else if has_column(booking, "bookings", "by_phone").await?
        && has_column(booking, "consents", "booking_id").await?
    {
        (
            "select c.consent_id, c.booking_id from consents c join bookings b using (booking_id)
             where b.by_phone order by c.given_at",
            "was given by a key that staff had seen: after the upgrade it carries \"way unknown\"",
        )
    } else {
        return Ok(());
    };
    let query = sqlx::query(sql);
    let found: Vec<(Id<Consent>, Id<Booking>)> =
        booking.rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?))).await?;
    let lines = found.into_iter().map(|(id, booking)| format!("{id} of {booking} {what}"));
    report.mends.extend(lines);
    Ok(())
}

/// Payment states that looked at one refund alone, and follow the sum of all since the upgrade.
pub(crate) async fn states(booking: &mut Store, report: &mut Report) -> Result<()> {
    if !has_column(booking, "payment_states_before", "mended_to").await? {
        return Ok(());
    }
    let query = sqlx::query(
        "select booking_id, payment_state, mended_to from payment_states_before
         where mended_to <> payment_state order by booking_id",
    );
    let found: Vec<(Id<Booking>, String, String)> =
        booking.rows(query, |row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?))).await?;
    let lines = found.into_iter().map(|(id, before, after)| {
        format!(
            "the payment state of {id} was {before}, and its refunds said {after}: it was mended"
        )
    });
    report.mends.extend(lines);
    Ok(())
}

/// Refunds that were promised by mail and failed for good, whose clients were told so.
pub(crate) async fn told(notifications: &mut Store, report: &mut Report) -> Result<()> {
    let query = sqlx::query(
        "select f.subject from mails f join mails p on p.subject = f.subject
         where f.kind = 'refund_failed' and p.kind = 'refund_started' and p.state <> 'dropped'
         order by f.subject",
    );
    let told: Vec<String> = notifications.rows(query, |row| row.try_get(0)).await?;
    let what = "was promised by mail and failed for good, which its client was told";
    report.mends.extend(told.into_iter().map(|refund| format!("{refund} {what}")));
    Ok(())
}
