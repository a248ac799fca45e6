//! Paying on the page of a booking that staff made by phone, and the account that adopts it.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingAdopted, BookingRequested, GetBookingFactsResponse};
use contract::convert::to_wire;
use contract::payments::v1::page_payment_service_client::PagePaymentServiceClient;
use contract::payments::v1::{
    CheckPagePaymentRequest, CheckPagePaymentResponse, CollectionState, ListPageReceiptsRequest,
    ListReceiptsRequest, PaymentStatus, StartPagePaymentRequest, StartPagePaymentResponse,
};
use eventstore::new_id;
use kernel::Money;
use kernel::id::Customer;
use serde_json::{Value, json};
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::ledger::confirm;
use crate::receipts::{happens, taken_in_again, until_taken_in};
use crate::world::{Held, PRICE, World, assert_refused};

fn pages(world: &World) -> Result<PagePaymentServiceClient<Channel>> {
    Ok(PagePaymentServiceClient::new(runtime::channel::connect_lazy(world.url())?))
}

async fn start(world: &World, page_key: &str) -> Result<Result<StartPagePaymentResponse, Status>> {
    let request = StartPagePaymentRequest {
        page_key: page_key.to_owned(),
        idempotency_key: "page-link".to_owned(),
    };
    let answer = pages(world)?.start_page_payment(request).await;
    Ok(answer.map(tonic::Response::into_inner))
}

async fn check(world: &World, page_key: &str) -> Result<Result<CheckPagePaymentResponse, Status>> {
    let request = CheckPagePaymentRequest { page_key: page_key.to_owned() };
    let answer = pages(world)?.check_page_payment(request).await;
    Ok(answer.map(tonic::Response::into_inner))
}

/// What booking says of a booking by phone.
async fn says(world: &World, held: Held, (terms, consent): (bool, bool)) -> Result<String> {
    let until = world.store.now().await?.plus_minutes(24 * 60);
    world.booking.knows(GetBookingFactsResponse {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        price: Some(Money::inr(PRICE).into()),
        held_until_at: Some(to_wire(until)),
        state: contract::booking::v1::BookingState::Held.into(),
        starts_at: Some(to_wire(until.plus_minutes(24 * 60))),
        terms_missing: !terms,
        consent_missing: !consent,
        by_phone: true,
        ..GetBookingFactsResponse::default()
    });
    Ok(world.booking.page_key(held.id))
}

async fn by_phone(world: &World) -> Result<Held> {
    let held = Held { id: new_id(), customer: new_id() };
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    let requested =
        BookingRequested { booking_id, customer_id, by_phone: true, ..Default::default() };
    happens(world, requested).await?;
    Ok(held)
}

async fn link_id(world: &World) -> Result<String> {
    let links = world.provider_has("payment_links").await?;
    let link = links.first().and_then(|link| link.get("id"));
    Ok(link.and_then(Value::as_str).context("a link's id")?.to_owned())
}

async fn adopt(world: &World, held: Held) -> Result<Held> {
    let customer = new_id::<Customer>();
    let (booking_id, customer_id) = (held.id.to_string(), customer.to_string());
    happens(world, BookingAdopted { booking_id, customer_id }).await?;
    Ok(Held { customer, ..held })
}

#[tokio::test]
async fn nothing_is_paid_before_terms_and_consent() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = by_phone(&world).await?;
    let key = says(&world, held, (false, false)).await?;
    assert_refused(start(&world, &key).await?, Code::FailedPrecondition, "TERMS_NOT_ACCEPTED");
    says(&world, held, (true, false)).await?;
    assert_refused(start(&world, &key).await?, Code::FailedPrecondition, "CONSENT_REQUIRED");
    // Nor in the way of an account that has adopted it meanwhile.
    let own = world.try_link(held).await?;
    assert_refused(own, Code::FailedPrecondition, "CONSENT_REQUIRED");
    assert_eq!(world.names(held).await?, Vec::<String>::new());
    assert_eq!(world.provider_has("payment_links").await?.len(), 0);
    assert_refused(check(&world, &key).await?, Code::FailedPrecondition, "PAYMENT_NOT_STARTED");
    Ok(())
}

#[tokio::test]
async fn a_wrong_key_pays_nothing() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = by_phone(&world).await?;
    says(&world, held, (true, true)).await?;
    for wrong in ["", "a", &held.id.to_string()] {
        assert_refused(start(&world, wrong).await?, Code::NotFound, "BOOKING_NOT_FOUND");
        assert_refused(check(&world, wrong).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    Ok(())
}

#[tokio::test]
async fn the_page_is_paid_by_a_link() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = by_phone(&world).await?;
    let key = says(&world, held, (true, true)).await?;
    let started = start(&world, &key).await??;
    assert!(started.link_url.starts_with(&world.sandbox_url), "{}", started.link_url);
    assert_eq!(started.amount.clone().context("an amount")?.minor_units, PRICE);
    assert_eq!(start(&world, &key).await??, started, "asked again, it is the same");
    assert_eq!(check(&world, &key).await??.payment_status(), PaymentStatus::Other);
    world.pay_link(&link_id(&world).await?, json!({})).await?;
    let checked = check(&world, &key).await??;
    assert_eq!(
        (checked.state(), checked.payment_status()),
        (CollectionState::Paid, PaymentStatus::Paid)
    );
    let paid = start(&world, &key).await??;
    assert_eq!((paid.link_url.as_str(), paid.state()), ("", CollectionState::Paid));
    Ok(())
}

#[tokio::test]
async fn the_adopter_sees_the_receipt_and_the_contact_does_not() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = by_phone(&world).await?;
    let key = says(&world, held, (true, true)).await?;
    start(&world, &key).await??;
    let adopted = adopt(&world, held).await?;
    // The page goes on with another owner, before and after the event was taken in.
    says(&world, adopted, (true, true)).await?;
    start(&world, &key).await??;
    world.pay_link(&link_id(&world).await?, json!({})).await?;
    check(&world, &key).await??;
    let verified = world.until(held, "PaymentVerified").await?;
    let payment_id = verified.payload["paymentId"].as_str().context("a payment")?.to_owned();
    confirm(&world, held, &payment_id).await?;
    taken_in_again(&world).await?;
    until_taken_in(&world).await?;
    assert_eq!(world.check(adopted).await??, CollectionState::Paid);
    let receipts = async |held: Held| -> Result<Result<usize, Status>> {
        let booking_id = held.id.to_string();
        let request = world.request(held.customer, ListReceiptsRequest { booking_id })?;
        let answer = world.client.clone().list_receipts(request).await;
        Ok(answer.map(|answer| answer.into_inner().receipts.len()))
    };
    assert_eq!(receipts(adopted).await??, 1);
    assert_refused(receipts(held).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    // The page has its number and sum, as long as booking knows the key.
    let of_page = async |page_key: &str| -> Result<Result<_, Status>> {
        let request = ListPageReceiptsRequest { page_key: page_key.to_owned() };
        Ok(pages(&world)?.list_page_receipts(request).await.map(tonic::Response::into_inner))
    };
    let listed = of_page(&key).await??.receipts;
    let [receipt] = listed.as_slice() else { anyhow::bail!("{listed:?}") };
    assert_eq!((receipt.kind.as_str(), receipt.serial.is_empty()), ("receipt", false));
    assert_eq!(receipt.amount.clone().context("an amount")?.minor_units, PRICE);
    assert_refused(of_page("a").await?, Code::NotFound, "BOOKING_NOT_FOUND");
    Ok(())
}

#[tokio::test]
async fn an_adopter_may_start_before_and_after_the_event_is_known() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = by_phone(&world).await?;
    let key = says(&world, held, (true, true)).await?;
    start(&world, &key).await??;
    // Booking knows the new owner, and this service does not yet.
    let adopted = Held { customer: new_id(), ..held };
    says(&world, adopted, (true, true)).await?;
    let link = world.link(adopted).await?;
    assert!(!link.link_url.is_empty());
    assert_refused(world.try_link(held).await?, Code::NotFound, "BOOKING_NOT_FOUND");
    Ok(())
}
