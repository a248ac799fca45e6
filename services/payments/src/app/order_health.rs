//! Whether the provider accepts our orders. A refusal lasts until a person changes a key, a setting
//! or the account, and no client can pay until then: so it is logged as an error and shown on the
//! health port until an order is accepted again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use crate::providers::ProviderError;

/// What the last order came to.
#[derive(Debug, Clone, Default)]
pub struct OrderHealth {
    refused: Arc<AtomicBool>,
}

/// The last order was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the payment provider refuses our orders")]
pub struct OrdersRefused;

impl OrderHealth {
    /// An order is there.
    pub fn record_accepted(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }

    /// No order was created. A provider that does not answer or is busy is no refusal.
    pub fn record_failure(&self, booking_id: Id<Booking>, error: &ProviderError) {
        if is_refusal(error) {
            self.refused.store(true, Ordering::Relaxed);
            tracing::error!(%booking_id, error = chain(error), "the provider refuses our orders");
        }
    }

    /// Whether orders are accepted.
    ///
    /// # Errors
    /// The last one was refused.
    pub fn check(&self) -> Result<(), OrdersRefused> {
        if self.refused.load(Ordering::Relaxed) { Err(OrdersRefused) } else { Ok(()) }
    }
}

/// The provider does not accept the request, or does not know our keys.
fn is_refusal(error: &ProviderError) -> bool {
    match error {
        ProviderError::Refused { .. } | ProviderError::RetryLater(401 | 403) => true,
        ProviderError::RetryLater(_)
        | ProviderError::NoAnswer(_)
        | ProviderError::InvalidAnswer(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{OrderHealth, OrdersRefused};
    use crate::providers::ProviderError;

    #[test]
    fn a_refused_order_is_reported_until_one_is_accepted() {
        let health = OrderHealth::default();
        let id = format!("bkg_{}", "1".repeat(32)).parse().unwrap();
        let silent = ProviderError::NoAnswer("it answered 500".into());
        for passing in
            [silent, ProviderError::RetryLater(429), ProviderError::InvalidAnswer("no JSON")]
        {
            health.record_failure(id, &passing);
            assert_eq!(health.check(), Ok(()), "{passing}");
        }
        let refused = ProviderError::Refused { reason: "extra_field_sent".to_owned() };
        for lasting in [refused, ProviderError::RetryLater(401), ProviderError::RetryLater(403)] {
            health.record_failure(id, &lasting);
            health.record_failure(id, &ProviderError::RetryLater(429));
            assert_eq!(health.check(), Err(OrdersRefused), "{lasting}");
            health.record_accepted();
            assert_eq!(health.check(), Ok(()));
        }
    }
}
