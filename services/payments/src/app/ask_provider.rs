//! Fetches what the provider has of a collection: its payment links, and the payments on its order
//! and on the orders beneath the links.

use std::collections::BTreeSet;

use futures::future::join_all;

use super::App;
use crate::domain::fact::{OrderFact, OrderId};
use crate::error::Error;
use crate::providers::{LinkReport, PaymentReport, ProviderError};
use crate::read_model::links::{self, LinkRow};
use crate::read_model::query::{self, CollectionRow};

/// The provider's answers about a collection, as far as there are any.
#[derive(Debug, Default)]
pub struct Answers {
    /// Its links.
    pub links: Vec<LinkReport>,
    /// The payments on its orders.
    pub payments: Vec<PaymentReport>,
    /// All of its orders.
    pub orders: BTreeSet<OrderId>,
    /// The state of each order, where it was asked for before its payments.
    pub facts: Vec<OrderFact>,
    /// Whether each link whose order may be unknown was answered.
    pub are_links_known: bool,
    /// Why the first of the unanswered questions failed.
    pub failed: Option<ProviderError>,
}

/// Asks for the links that may have changed, then for the payments on all orders.
pub async fn ask_provider(app: &App, row: &CollectionRow) -> Result<Answers, Error> {
    let links = match &row.link {
        Some(_) => links::of_booking(app.store.pool(), row.booking_id).await?,
        None => Vec::new(),
    };
    let mut answers = Answers { are_links_known: true, ..Answers::default() };
    answers.orders.extend(row.order.as_ref().map(|order| order.id.clone()));
    answers.orders.extend(links.iter().flat_map(|row| row.link.orders.iter().cloned()));
    let created = links.iter().filter(|row| may_have_changed(row));
    let created = created.filter_map(|row| row.link.created.as_ref());
    for answer in join_all(created.map(|created| app.provider.link(&created.id))).await {
        match answer {
            Ok(report) => {
                answers.orders.extend(report.fact.order.clone());
                answers.links.push(report);
            }
            Err(error) => {
                answers.are_links_known = false;
                answers.failed.get_or_insert(error);
            }
        }
    }
    // Of undecided money the order is asked first, and its payments, which then include those that
    // paid it, only once: both have to fit into one firing of a slow provider.
    if query::has_undecided(app.store.pool(), row.booking_id).await? {
        let asked = answers.orders.iter().map(|order| app.provider.order(order));
        // One that does not come is no failure yet: it is asked for again after the payments.
        let told = join_all(asked).await.into_iter().flatten();
        answers.facts.extend(told.map(|report| report.fact));
    }
    Ok(ask_payments(app, answers).await)
}

/// The same after a link was fetched alone.
pub async fn ask_about_link(app: &App, report: LinkReport) -> Answers {
    let orders = report.fact.order.iter().cloned().collect();
    ask_payments(app, Answers { links: vec![report], orders, ..Answers::default() }).await
}

async fn ask_payments(app: &App, mut answers: Answers) -> Answers {
    let asked = answers.orders.iter().map(|order| app.provider.payments_of(order));
    for answer in join_all(asked).await {
        match answer {
            Ok(payments) => answers.payments.extend(payments),
            Err(error) => {
                answers.failed.get_or_insert(error);
            }
        }
    }
    answers
}

/// A link that is over changes no more; but its order, on which money may still come, may not be
/// known yet.
fn may_have_changed(row: &LinkRow) -> bool {
    !row.link.is_over() || row.link.orders.is_empty()
}
