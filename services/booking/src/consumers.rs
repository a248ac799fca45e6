//! Reactions to other services' events. Mapping an event to an action is a pure function;
//! performing it is one call inside the transaction that advances the checkpoint.

pub mod payments;
pub mod notifications;

use std::sync::Arc;

use messaging::Reaction;
use runtime::Revised;
use service::reaction_of;

use self::notifications::OnNotifications;
use self::payments::OnPayments;
use crate::app::App;

/// Each consumer's name, its source, and what it does about an event.
#[must_use]
pub fn all(app: &Revised<App>) -> [(&'static str, &'static str, Arc<dyn Reaction>); 2] {
    [
        ("booking-on-payments", "payments", reaction_of(app, OnPayments::new)),
        ("booking-on-notifications", "notifications", Arc::new(OnNotifications)),
    ]
}
