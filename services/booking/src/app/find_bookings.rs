//! Staff look for a booking by the reference that its client quotes.

use super::App;
use super::staff_scope::Scope;
use crate::error::Error;
use crate::read_model::query;
use crate::read_model::view::{self, View};

/// The maximum number of bookings of one response.
const BOOKINGS_MAX: i64 = 20;

/// The bookings with a reference as far as a staff member may see them, newest first.
pub async fn find_bookings(app: &App, reference: &str, scope: &Scope) -> Result<Vec<View>, Error> {
    let pool = app.store.pool();
    let reference = reference.trim().to_ascii_lowercase();
    let ids = query::bookings_by_reference(pool, (&reference, scope.only()), BOOKINGS_MAX).await?;
    let mut views = view::load_all(pool, &app.practice, &ids).await?;
    views.sort_by_key(|view| std::cmp::Reverse(view.requested_at));
    Ok(views.into_iter().map(|view| scope.shown(view)).collect())
}
