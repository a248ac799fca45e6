//! Whether the provider takes our orders. One that it refuses will be refused again until a person
//! changes a key, a setting or the account, and meanwhile nobody can pay: that is an error, and it
//! is told on the health port until an order is taken again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use crate::provider::ProviderError;

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

    /// There is no order. That the provider is silent or busy says nothing about the next one.
    pub fn record_failure(&self, booking_id: Id<Booking>, error: &ProviderError) {
        if is_refusal(error) {
            self.refused.store(true, Ordering::Relaxed);
            tracing::error!(%booking_id, error = chain(error), "the provider refuses our orders");
        }
    }

    /// Whether orders are taken.
    ///
    /// # Errors
    /// The last one was refused.
    pub fn check(&self) -> Result<(), OrdersRefused> {
        if self.refused.load(Ordering::Relaxed) { Err(OrdersRefused) } else { Ok(()) }
    }
}

/// The request is not one that the provider takes, or it does not know our keys.
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
    use crate::provider::ProviderError;

    #[test]
    fn only_a_refusal_is_told_and_an_order_ends_it() {
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
