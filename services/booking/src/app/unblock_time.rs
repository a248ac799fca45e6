//! Staff open a closed time again.

use std::sync::Arc;

use contract::booking::v1::UnblockTimeRequest;
use eventstore::{Act, Metadata, Tx};
use kernel::Id;
use kernel::id::Block;
use staff::Staff;

use super::App;
use super::staff_scope::Scope;
use crate::domain::day;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::waiting_offers::{self, Outcome};
use crate::repository::{LockedDay, day_lock};

/// The method's name, in the audit log.
pub const METHOD: &str = "UnblockTime";

/// Opens a closed time of the staff member's scope; a repeated request changes nothing.
///
/// # Errors
/// `BlockNotFound` when no such block ever existed, or in another's calendar.
pub async fn unblock_time(
    app: &Arc<App>,
    (staff, scope): (Staff, &Scope),
    request: UnblockTimeRequest,
) -> Result<(), Error> {
    let id: Id<Block> =
        request.block_id.parse().map_err(|_malformed| refuse(Rejection::BlockNotFound))?;
    let metadata = Metadata::traced(staff.id.to_string()).about(id.to_string());
    let (app_for_task, scope) = (Arc::clone(app), scope.clone());
    app.store
        .write(metadata, move |tx| {
            let (app, scope) = (Arc::clone(&app_for_task), scope.clone());
            Box::pin(async move {
                unblock(tx, &app, &scope, id).await?;
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                Ok(())
            })
        })
        .await
}

async fn unblock(tx: &mut Tx, app: &App, scope: &Scope, id: Id<Block>) -> Result<(), Error> {
    let found = query::block(tx.connection(), id).await?;
    let found = found.filter(|blocked| scope.admits(&blocked.practitioner_id));
    let blocked = found.ok_or(refuse(Rejection::BlockNotFound))?;
    let date = app.rules.date_of(blocked.span.starts_at());
    tx.lock(&[day_lock(&blocked.practitioner_id, date)]).await?;
    let (mut day, _now) = LockedDay::load(tx, &app.rules, &blocked.practitioner_id, date).await?;
    // Of a time that is held for a waiting client the offer ends with it.
    waiting_offers::end(tx, id, Outcome::Withdrawn).await?;
    day.apply(tx, day::Command::Unblock { block_id: id }).await?;
    Ok(waiting_offers::offer_again(tx).await?)
}
