//! The decisions about payment links: one at a time is handed out, and none beside money or another
//! way of paying that was chosen since.

use kernel::id::PaymentLink;
use kernel::{Id, Timestamp};

use super::evolve::apply;
use super::model::{Collection, Event, LinkChange, Rejection};
use crate::domain::fact::{Amount, Fact, OrderId, PaymentId, Source};
use crate::domain::link::{Link, LinkFact, LinkStatus, ProviderLink, Withdrawal};

/// How many links one collection may have; each change of the way of paying needs another one.
const LINKS_MAX: usize = 12;

impl Collection {
    /// Whether an order is ours: the collection's own, or one beneath its links.
    #[must_use]
    pub fn is_own_order(&self, order: &OrderId) -> bool {
        self.order.as_ref() == Some(order) || self.is_link_order(order)
    }

    /// Whether an order is beneath a link.
    #[must_use]
    pub fn is_link_order(&self, order: &OrderId) -> bool {
        self.links.values().any(|link| link.orders.contains(order))
    }

    /// Whether a payment's order may turn out to be beneath a link: then the links are fetched.
    pub(super) fn waits_for_link(&self, fact: &Fact) -> bool {
        let is_unknown = fact.order.as_ref().is_some_and(|order| !self.is_own_order(order));
        is_unknown && self.links.values().any(|link| !link.is_absent)
    }

    /// The link that is handed out now, or is being created.
    #[must_use]
    pub fn usable_link(&self, now: Timestamp) -> Option<Id<PaymentLink>> {
        let usable = self.links.iter().find(|(_, link)| link.is_usable(now));
        usable.map(|(link_id, _)| *link_id)
    }

    /// Until when a link may take money, or may have taken it: a payment that began before a link
    /// was over may be captured after it.
    #[must_use]
    pub fn payable_until(&self) -> Option<Timestamp> {
        let links = self.links.values().filter(|link| !link.is_absent);
        links.map(|link| link.expires_at).max()
    }

    /// How the link ended that was handed out last; none while it takes money, and after another
    /// way was chosen.
    #[must_use]
    pub fn ended_link(&self) -> Option<LinkStatus> {
        let link = self.links.get(&self.last_link?)?;
        let is_in_use = link.withdrawn != Some(Withdrawal::Checkout);
        Some(link.status).filter(|status| is_in_use && status.is_over())
    }

    fn live_links(&self) -> impl Iterator<Item = (Id<PaymentLink>, &Link)> {
        let live = |link: &&Link| !link.is_over() && link.withdrawn.is_none();
        let links = self.links.iter().map(|(link_id, link)| (*link_id, link));
        links.filter(move |(_, link)| live(link))
    }
}

/// Opens a link if none is usable; the others must not be payable any more, nor paid by a payment
/// that is not known yet. After money has come none is opened. One whose creation was never
/// answered, and that is about to expire, is withdrawn.
pub(super) fn open_link(
    known: &Collection,
    link_id: Id<PaymentLink>,
    expires_at: Timestamp,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if known.verified.is_some() || known.usable_link(now).is_some() {
        return Ok(Vec::new());
    }
    if known.links.values().any(|link| link.is_payable() || link.status == LinkStatus::Paid) {
        return Err(Rejection::LinkOpen);
    }
    if known.links.len() >= LINKS_MAX {
        return Err(Rejection::TooManyLinks);
    }
    let mut events = withdraw(known, Withdrawal::Expired, |_| true);
    events.push(Event::Link { link_id, change: LinkChange::Opened { expires_at } });
    Ok(events)
}

pub(super) fn record_link(
    known: &Collection,
    provider: String,
    link_id: Id<PaymentLink>,
    created: ProviderLink,
) -> Result<Vec<Event>, Rejection> {
    let link = known.links.get(&link_id).ok_or(Rejection::LinkUnknown)?;
    match &link.created {
        None => {
            let change = LinkChange::Created { provider, created };
            Ok(vec![Event::Link { link_id, change }])
        }
        Some(first) if first.id == created.id => Ok(Vec::new()),
        Some(_) => Err(Rejection::OtherLink),
    }
}

/// Withdraws every link that is handed out.
pub(super) fn withdraw_links(known: &Collection, why: Withdrawal) -> Vec<Event> {
    withdraw(known, why, |_| true)
}

fn withdraw(known: &Collection, why: Withdrawal, which: impl Fn(&Link) -> bool) -> Vec<Event> {
    let live = known.live_links().filter(|(_, link)| which(link));
    live.map(|(link_id, _)| Event::Link { link_id, change: LinkChange::Withdrawn(why) }).collect()
}

/// What is new of a link. Money that waited for its order is decided afterwards.
pub(super) fn observe_link(
    known: &Collection,
    link_id: Id<PaymentLink>,
    fact: LinkFact,
    source: Source,
) -> Result<Vec<Event>, Rejection> {
    let link = known.links.get(&link_id).ok_or(Rejection::LinkUnknown)?;
    if !link.is_news(&fact) {
        return Ok(Vec::new());
    }
    Ok(vec![Event::Link { link_id, change: LinkChange::Observed { fact, source } }])
}

/// The provider has no such link. One whose creation was answered exists.
pub(super) fn record_absent_link(
    known: &Collection,
    link_id: Id<PaymentLink>,
) -> Result<Vec<Event>, Rejection> {
    let link = known.links.get(&link_id).ok_or(Rejection::LinkUnknown)?;
    if link.created.is_some() || link.is_absent {
        return Ok(Vec::new());
    }
    Ok(vec![Event::Link { link_id, change: LinkChange::Absent }])
}

/// Money counts: every link that it did not come by is withdrawn.
pub(super) fn verified(known: &Collection, payment: &PaymentId, fact: &Fact) -> Vec<Event> {
    let (payment, amount): (PaymentId, Amount) = (payment.clone(), fact.amount.clone());
    let mut events = vec![Event::Verified { payment, amount }];
    let mut after = known.clone();
    events.iter().for_each(|event| apply(&mut after, event));
    let brought_it = |link: &Link| fact.order.as_ref().is_some_and(|it| link.orders.contains(it));
    events.extend(withdraw(&after, Withdrawal::Paid, |link| !brought_it(link)));
    events
}
