//! The bookings of the caller's account, for "Your sessions".

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use super::App;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::own_bookings::{PageRequest, Part, Place, places};
use crate::read_model::view;
use crate::repository::{waiting, waiting_offers};

/// How many bookings a page has.
const PAGE: usize = 20;

/// A page of the account's bookings.
///
/// # Errors
/// `InvalidPageToken` for a token that is not one of this list.
pub async fn list_own_bookings(
    app: &App,
    customer_id: Id<Customer>,
    request: &wire::ListOwnBookingsRequest,
) -> Result<wire::ListOwnBookingsResponse, Error> {
    let part = match request.part() {
        wire::OwnBookingsPart::Past => Part::Past,
        wire::OwnBookingsPart::Coming | wire::OwnBookingsPart::Unspecified => Part::Coming,
    };
    let after = match request.page_token.as_str() {
        "" => None,
        token => Some(read_token(part, token).ok_or(refuse(Rejection::InvalidPageToken))?),
    };
    let (pool, now) = (app.store.pool(), app.store.now().await?);
    let one_more = i64::try_from(PAGE + 1).unwrap_or(i64::MAX);
    let page = PageRequest { customer_id, part, now, after };
    let mut found = places(pool, page, one_more).await?;
    let more = found.len() > PAGE;
    found.truncate(PAGE);
    let next_page_token = found.last().filter(|_| more).map(|last| token(part, last));
    let ids: Vec<Id<Booking>> = found.iter().map(|place| place.id).collect();
    let views = view::load_all(pool, &app.practice, &ids).await?;
    let mut bookings: Vec<wire::Booking> = views
        .into_iter()
        // An account may have lost one to another since it was listed; the view decides.
        .filter(|view| view.customer_id == customer_id)
        .map(|view| wire::Booking { join_url: String::new(), ..view.booking })
        .collect();
    let order = |one: &wire::Booking| ids.iter().position(|id| id.to_string() == one.booking_id);
    bookings.sort_by_key(order);
    let next_page_token = next_page_token.unwrap_or_default();
    let held_offer = match part {
        Part::Coming => held_offer(app, customer_id).await?,
        Part::Past => None,
    };
    Ok(wire::ListOwnBookingsResponse { bookings, next_page_token, held_offer })
}

/// The time of the wait list that is held for a client.
async fn held_offer(
    app: &App,
    customer_id: Id<Customer>,
) -> Result<Option<wire::HeldOffer>, Error> {
    let (pool, now) = (app.store.pool(), app.store.now().await?);
    let Some(offer) = waiting_offers::open_of_customer(pool, customer_id).await? else {
        return Ok(None);
    };
    let entry = waiting::find(pool, offer.waiting_id, now).await?;
    Ok(entry.filter(|_entry| now < offer.held_until).map(|entry| wire::HeldOffer {
        offer_id: offer.id.to_string(),
        starts_at: Some(to_wire(offer.span.starts_at())),
        held_until_at: Some(to_wire(offer.held_until)),
        service_title: entry.service_title,
    }))
}

/// A token holds no secret: a list is asked for with the account's own access token.
fn token(part: Part, place: &Place) -> String {
    format!("{}{}-{}", word(part), place.at.micros(), place.id)
}

fn read_token(part: Part, token: &str) -> Option<Place> {
    let (at, id) = token.strip_prefix(word(part))?.split_once('-')?;
    Some(Place { at: Timestamp::from_micros(at.parse().ok()?)?, id: id.parse().ok()? })
}

const fn word(part: Part) -> &'static str {
    match part {
        Part::Coming => "c",
        Part::Past => "p",
    }
}
