//! The probe asks the payment provider for an order that it must know, or for the last minute's
//! payments while there is no order yet. It creates nothing and pays nothing.

use std::sync::Arc;

use runtime::BoxError;

use super::App;
use crate::read_model::query::known_order;

/// How far back payments are asked for, in seconds.
const BACK: i64 = 60;

/// Asks.
///
/// # Errors
/// When the database or the provider does not answer, or the provider does not know the order.
pub async fn ask_for_an_order(app: Arc<App>) -> Result<(), BoxError> {
    if let Some(order) = known_order(app.store.pool()).await? {
        app.provider.order(&order).await?;
    } else {
        let now = app.store.now().await?;
        app.provider.payments_between(now.plus_seconds(-BACK), now, 0).await?;
    }
    Ok(())
}
