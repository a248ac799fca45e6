//! The consumers with their sources, as the wiring starts them.

use std::sync::Arc;

use messaging::Reaction;
use runtime::Revised;
use service::reaction_of;

use super::booking::OnBooking;
use super::identity::OnIdentity;
use super::payments::OnPayments;
use super::reviews::OnReviews;
use crate::clients::Neighbours;
use crate::timers::Timers;

/// A consumer's name, its source with the URL of its feed, and what it does about an event.
type Consumer<'u> = (&'static str, (&'static str, &'u str), Arc<dyn Reaction>);

/// All of them, without identity's events where the identity server is not ours.
#[must_use]
pub fn all<'u>(timers: &Revised<Timers>, urls: &'u Neighbours) -> Vec<Consumer<'u>> {
    let mut all: Vec<Consumer<'u>> = vec![
        (
            "notifications-on-booking",
            ("booking", &urls.booking_url),
            reaction_of(timers, |timers| OnBooking::new(&timers.practice().mails)),
        ),
        ("notifications-on-payments", ("payments", &urls.payments_url), Arc::new(OnPayments)),
        ("notifications-on-reviews", ("reviews", &urls.reviews_url), Arc::new(OnReviews)),
    ];
    if let Some(url) = &urls.identity_url {
        all.push(("notifications-on-identity", ("identity", url), Arc::new(OnIdentity)));
    }
    all
}
