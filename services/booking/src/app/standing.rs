//! What a member may do, and whether the session needs a second factor for it.

use eventstore::Store;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use runtime::caller::Aal;
use sqlx::PgPool;
use staff::{Roles, Standing};

use crate::read_model::staff::membership_of;
use crate::repository::members::use_second_factor;

/// The role lookup of the staff authorizer.
#[derive(Debug, Clone)]
pub struct StaffTable(pub Store);

impl Roles for StaffTable {
    fn standing_of(
        &self,
        person: Id<Customer>,
        reach: Aal,
    ) -> BoxFuture<'_, Result<Option<Standing>, BoxError>> {
        async move { Ok(standing_of(self.0.pool(), person, reach).await?) }.boxed()
    }
}

/// The current role of an account, and whether it needs a second factor; `None` for customers and
/// former staff members. An account that has one has no time in which it need not use it.
pub async fn standing_of(
    pool: &PgPool,
    person: Id<Customer>,
    reach: Aal,
) -> Result<Option<Standing>, sqlx::Error> {
    let Some((role, is_due)) = membership_of(pool, person).await? else { return Ok(None) };
    let has_one = reach == Aal::Aal2;
    if has_one && !is_due {
        use_second_factor(pool, person).await?;
    }
    Ok(Some(Standing { role, needs_second_factor: is_due || has_one }))
}
