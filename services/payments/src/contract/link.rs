//! Converts what happens to payment links between domain and `proto/`.

use contract::convert::{timestamp as instant, to_wire as wire_instant};
use contract::json::JsonError;
use contract::payments::v1 as wire;
use eventstore::{NewEvent, Recorded, Unreadable};
use kernel::Id;
use kernel::id::PaymentLink;

use super::fields::{get, parse};
use crate::domain::collection::{Event, LinkChange};
use crate::domain::fact::{LinkId, OrderId, Source};
use crate::domain::link::{LinkFact, LinkStatus, ProviderLink, Withdrawal};

pub(super) fn event(
    booking_id: String,
    link_id: Id<PaymentLink>,
    change: &LinkChange,
) -> Result<NewEvent, JsonError> {
    let link_id = link_id.to_string();
    match change {
        LinkChange::Opened { expires_at } => NewEvent::of(&wire::PaymentLinkOpened {
            booking_id,
            link_id,
            expires_at: Some(wire_instant(*expires_at)),
        }),
        LinkChange::Created { provider, created } => NewEvent::of(&wire::PaymentLinkCreated {
            booking_id,
            link_id,
            provider_link_id: created.id.to_string(),
            url: created.url.clone(),
            provider: provider.clone(),
        }),
        LinkChange::Observed { fact, source } => NewEvent::of(&wire::PaymentLinkObserved {
            booking_id,
            link_id,
            status: fact.status.word().to_owned(),
            order_id: fact.order.as_ref().map(ToString::to_string).unwrap_or_default(),
            source: source.word().to_owned(),
        }),
        LinkChange::Withdrawn(why) => NewEvent::of(&wire::PaymentLinkWithdrawn {
            booking_id,
            link_id,
            reason: why.word().to_owned(),
        }),
        LinkChange::Absent => NewEvent::of(&wire::PaymentLinkAbsent { booking_id, link_id }),
    }
}

/// The event; none if it is not about a link, or holds an invalid value.
pub(super) fn read(stored: &Recorded) -> Result<Option<Event>, Unreadable> {
    let read = if let Some(e) = get::<wire::PaymentLinkOpened>(stored)? {
        let opened = |expires_at| LinkChange::Opened { expires_at };
        (e.link_id, e.expires_at.as_ref().and_then(instant).map(opened))
    } else if let Some(e) = get::<wire::PaymentLinkCreated>(stored)? {
        let created = LinkId::parse(&e.provider_link_id).map(|id| {
            let created = ProviderLink { id, url: e.url };
            LinkChange::Created { provider: e.provider, created }
        });
        (e.link_id, created)
    } else if let Some(e) = get::<wire::PaymentLinkObserved>(stored)? {
        let words = (LinkStatus::from_word(&e.status), Source::from_word(&e.source));
        let fact = words.0.map(|status| LinkFact { status, order: OrderId::parse(&e.order_id) });
        let observed = |(fact, source)| LinkChange::Observed { fact, source };
        (e.link_id, fact.zip(words.1).map(observed))
    } else if let Some(e) = get::<wire::PaymentLinkWithdrawn>(stored)? {
        (e.link_id, Withdrawal::from_word(&e.reason).map(LinkChange::Withdrawn))
    } else if let Some(e) = get::<wire::PaymentLinkAbsent>(stored)? {
        (e.link_id, Some(LinkChange::Absent))
    } else {
        return Ok(None);
    };
    let (link_id, change) = read;
    Ok(parse(&link_id).zip(change).map(|(link_id, change)| Event::Link { link_id, change }))
}
