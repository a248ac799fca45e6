//! Sagas with a payment link.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Plan, RunningSaga};

impl RunningSaga<'_, '_> {
    pub(super) async fn follow_link(&self, plan: Plan) -> Result<()> {
        let link = match self.customer.link(&self.booking_id).await {
            Ok(link) => link,
            // The hold has ended before the link was made.
            Err(refused) if refused.to_string().contains("failed_precondition") => {
                return self.wait_for_hold_end().await;
            }
            Err(error) => return Err(error),
        };
        match plan {
            Plan::LinkAbandoned => self.wait_for_hold_end().await,
            Plan::LinkThenCheckout => {
                // The hold may have ended; then the link alone is paid late.
                if let Ok(order) = self.customer.order(&self.booking_id).await {
                    self.pay(&order, json!({})).await?;
                }
                self.pay_link(&link).await?;
                self.wait_until_placed_or_refunded().await
            }
            Plan::LinkPaidLate => {
                self.wait_for_hold_end().await?;
                self.pay_link(&link).await?;
                self.wait_until_placed_or_refunded().await
            }
            _ => {
                self.pay_link(&link).await?;
                self.wait_until_placed_or_refunded().await
            }
        }
    }

    /// Pays a link at the provider, also one that is over: its page was open before.
    pub(super) async fn pay_link(&self, link: &str) -> Result<Option<Value>> {
        self.call_pay(json!({ "link_id": link, "method": "upi" }), json!({ "over": true })).await
    }
}
