//! The probe asks the provider for an order that is there, and creates none.

use anyhow::Result;
use payments::app::probe::ask_for_an_order;
use serde_json::json;

use std::sync::Arc;

use crate::ledger::{build_app, ordered};
use crate::world::World;

#[tokio::test]
async fn it_asks_for_a_known_order_and_tells_a_provider_that_is_away() -> Result<()> {
    let world = World::without_webhooks().await?;
    let app = Arc::new(build_app(&world)?);
    // Without an order it asks for the last payments.
    ask_for_an_order(Arc::clone(&app)).await.map_err(anyhow::Error::from_boxed)?;
    assert_eq!(world.provider_has("orders").await?.len(), 0);
    ordered(&world).await?;
    ask_for_an_order(Arc::clone(&app)).await.map_err(anyhow::Error::from_boxed)?;
    assert_eq!(world.provider_has("orders").await?.len(), 1, "it created none");
    world
        .fault(json!({ "target": "orders.fetch.one", "kind": "status", "status": 503, "times": 0 }))
        .await?;
    assert!(ask_for_an_order(Arc::clone(&app)).await.is_err());
    world.clear_faults().await?;
    Ok(())
}
