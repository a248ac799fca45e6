//! What is asked of the provider about links and orders, and how a link that it reports is folded.

use std::collections::BTreeSet;

use futures::FutureExt as _;
use kernel::Id;
use kernel::id::{Booking, PaymentLink};
use payments::app::fold::{ProviderReport, needs_order};
use payments::domain::collection::Command;
use payments::domain::fact::{Amount, LinkId, OrderId, Source};
use payments::domain::link::{Link, LinkFact};
use payments::providers::{LinkReport, Provider as _, ProviderError, Receipt};

use super::super::super::provider::PROVIDER;
use super::super::super::service::Error;
use super::super::super::store::Batch;
use super::super::super::world::World;
use super::super::jobs::never;
use super::super::locked::LockedCollection;
use super::super::tables::PaymentsTables;

impl World {
    /// A link of ours and the booking that it is for.
    pub(crate) fn link_of(&self, link_id: Id<PaymentLink>) -> Option<(Id<Booking>, Link)> {
        let mut states = self.payments.tables.states.keys();
        states.find_map(|id| {
            let locked = self.lock_collection(*id);
            let link = locked.collection()?.links.get(&link_id)?.clone();
            Some((*id, link))
        })
    }

    /// The booking of an order: its own, or one beneath a link of it.
    pub(crate) fn booking_of_order(&self, order: &OrderId) -> Option<Id<Booking>> {
        let mut states = self.payments.tables.states.keys();
        let owns = |id: &&Id<Booking>| {
            let locked = self.lock_collection(**id);
            locked.collection().is_some_and(|known| known.is_own_order(order))
        };
        states.find(owns).copied()
    }

    /// The booking of an order that we do not know: the provider says whether it is beneath a link
    /// of ours, and that is written down.
    pub(crate) fn adopt_link_order(
        &mut self,
        order: &OrderId,
    ) -> Result<Option<Id<Booking>>, Error> {
        let asked =
            self.at_provider(|provider| provider.order(order).now_or_never().unwrap_or_else(never));
        let receipt = match asked {
            Ok(report) => report.receipt,
            Err(ProviderError::Refused { .. }) => None,
            Err(_) => return Err(Error::Unavailable),
        };
        let Some(Receipt::Link(link_id)) = receipt else { return Ok(None) };
        let Some((booking_id, _)) = self.link_of(link_id) else { return Ok(None) };
        let mut locked = self.lock_collection(booking_id);
        let fact = LinkFact { order: Some(order.clone()), ..LinkFact::default() };
        let mut batch = Batch::by("payments");
        let observe = Command::ObserveLink { link_id, fact, source: Source::Poll };
        self.apply(&mut batch, &mut locked, observe)?;
        self.commit(batch)?;
        Ok(Some(booking_id))
    }

    /// Whether the provider has an order or a link of a booking.
    pub(crate) fn is_at_provider(&self, booking_id: Id<Booking>) -> bool {
        let locked = self.lock_collection(booking_id);
        locked.collection().is_some_and(|known| {
            known.order.is_some() || known.links.values().any(|link| link.created.is_some())
        })
    }

    /// Asks for the links that may have changed, for the payments on all orders, and for the orders
    /// of which a payment has another amount. Says whether everything was answered.
    pub(crate) fn ask_provider(&mut self, booking_id: Id<Booking>) -> (ProviderReport, bool) {
        let locked = self.lock_collection(booking_id);
        let Some(known) = locked.collection() else { return (ProviderReport::default(), true) };
        let has_undecided = locked.has_undecided();
        let amount = Amount::from(known.terms.amount);
        let mut orders: BTreeSet<OrderId> = known.order.iter().cloned().collect();
        orders.extend(known.links.values().flat_map(|link| link.orders.iter().cloned()));
        let changing = known.links.values().filter(|it| !it.is_over() || it.orders.is_empty());
        let changing: Vec<LinkId> =
            changing.filter_map(|link| Some(link.created.as_ref()?.id.clone())).collect();
        let (mut links, mut are_links_known) = (Vec::new(), true);
        for id in &changing {
            let asked =
                self.at_provider(|provider| provider.link(id).now_or_never().unwrap_or_else(never));
            match asked {
                Ok(report) => {
                    orders.extend(report.fact.order.clone());
                    links.push(report);
                }
                Err(_) => are_links_known = false,
            }
        }
        let (mut report, is_answered) = self.ask_payments(&orders);
        report.links = links;
        report.are_links_known = are_links_known;
        report.is_partial |= !is_answered || !are_links_known;
        for order in &orders {
            if has_undecided || needs_order(&report, (order, &amount)) {
                report = self.ask_order(report, order);
            }
        }
        (report, is_answered && are_links_known)
    }

    pub(super) fn ask_payments(&mut self, orders: &BTreeSet<OrderId>) -> (ProviderReport, bool) {
        let (mut reports, mut is_answered) = (Vec::new(), true);
        for order in orders {
            let asked = self.at_provider(|provider| {
                provider.payments_of(order).now_or_never().unwrap_or_else(never)
            });
            match asked {
                Ok(payments) => reports.extend(payments),
                Err(_) => is_answered = false,
            }
        }
        (self.fetch_missing_refunds(reports), is_answered)
    }

    fn ask_order(&mut self, mut report: ProviderReport, order: &OrderId) -> ProviderReport {
        let asked = self.at_provider(|provider| {
            let fact = provider.order(order).now_or_never().unwrap_or_else(never)?;
            let payments = provider.payments_of(order).now_or_never().unwrap_or_else(never)?;
            Ok::<_, ProviderError>((fact, payments))
        });
        match asked {
            Ok((order, payments)) => {
                let again = self.fetch_missing_refunds(payments);
                report.merged_with(again, order.fact)
            }
            Err(_) => {
                report.is_partial = true;
                report
            }
        }
    }

    /// Folds a link that the provider reports.
    pub(crate) fn fold_link(
        &self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        report: &LinkReport,
        source: Source,
    ) -> Result<(), Error> {
        let known = locked.collection();
        let link = report.reference.and_then(|id| Some((id, known?.links.get(&id)?)));
        let Some((link_id, link)) = link else { return Ok(()) };
        if link.created.is_none() {
            let (provider, created) = (PROVIDER.to_owned(), report.link.clone());
            self.apply(batch, locked, Command::RecordLink { provider, link_id, created })?;
        }
        let fact = report.fact.clone();
        self.apply(batch, locked, Command::ObserveLink { link_id, fact, source })?;
        Ok(())
    }
}
