//! The consumers with their sources, as the wiring starts them.

use std::sync::Arc;

use messaging::Reaction;
use practice::Mails;

use super::booking::OnBooking;
use super::identity::OnIdentity;
use super::payments::OnPayments;
use super::reviews::OnReviews;
use crate::clients::Neighbours;

/// A consumer's name, its source with the URL of its feed, and what it does about an event.
type Consumer<'u> = (&'static str, (&'static str, &'u str), Arc<dyn Reaction>);

/// All of them, without identity's events where the identity server is not ours.
#[must_use]
pub fn all<'u>(mails: &Mails, urls: &'u Neighbours) -> Vec<Consumer<'u>> {
    let mut all: Vec<Consumer<'u>> = vec![
        (
            "notifications-on-booking",
            ("booking", &urls.booking_url),
            Arc::new(OnBooking::new(mails)),
        ),
        ("notifications-on-payments", ("payments", &urls.payments_url), Arc::new(OnPayments)),
        ("notifications-on-reviews", ("reviews", &urls.reviews_url), Arc::new(OnReviews)),
    ];
    if let Some(url) = &urls.identity_url {
        all.push(("notifications-on-identity", ("identity", url), Arc::new(OnIdentity)));
    }
    all
}
