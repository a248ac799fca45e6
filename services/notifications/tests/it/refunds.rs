//! Refunds that are retried, that the practice made elsewhere, and that no earlier event announced;
//! and disputes, of which only the practice is notified.

use anyhow::Result;
use contract::booking::v1::SessionMode;
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::{DisputeObserved, RefundDiscovered, RefundProcessed, RefundRequested};
use kernel::id::Refund;
use serde_json::Value;

use crate::world::{CUSTOMER, PRACTICE, World, new_id, text};

fn inr(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency_code: "INR".to_owned() })
}

async fn subjects(world: &World) -> Result<Vec<String>> {
    let mails = world.inbox_of(CUSTOMER).await?;
    Ok(mails.iter().map(|mail| text(mail, "subject").to_owned()).collect())
}

#[tokio::test]
async fn a_renewed_refund_is_mailed_once_and_at_its_end() -> Result<()> {
    let world = World::new().await?;
    let booking_id = world.booking(SessionMode::Online).to_string();
    let first = RefundRequested {
        booking_id: booking_id.clone(),
        refund_id: new_id::<Refund>(),
        payment_id: "pay_1".to_owned(),
        amount: inr(75_000),
        cause: "cancelled".to_owned(),
        ..Default::default()
    };
    let renewed = RefundRequested { refund_id: new_id::<Refund>(), renewed: true, ..first.clone() };
    let processed = RefundProcessed { booking_id, refund_id: renewed.refund_id.clone() };
    world.append_event(first).await?;
    world.append_event(renewed).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["Your refund of ₹750 is on its way"]);
    world.append_event(processed).await?;
    world.until_idle().await?;
    let wanted = ["Your refund of ₹750 is on its way", "Your refund of ₹750 is done"];
    assert_eq!(subjects(&world).await?, wanted);
    world.end().await
}

#[tokio::test]
async fn an_external_refund_is_mailed_too() -> Result<()> {
    let world = World::new().await?;
    let booking_id = world.booking(SessionMode::Online).to_string();
    let refund_id = new_id::<Refund>();
    world
        .append_event(RefundDiscovered {
            booking_id: booking_id.clone(),
            refund_id: refund_id.clone(),
            payment_id: "pay_1".to_owned(),
            amount: inr(20_050),
            provider_refund_id: "rfnd_1".to_owned(),
            ..RefundDiscovered::default()
        })
        .await?;
    world.until_idle().await?;
    world.append_event(RefundProcessed { booking_id, refund_id }).await?;
    world.until_idle().await?;
    let wanted = ["Your refund of ₹200.50 is on its way", "Your refund of ₹200.50 is done"];
    assert_eq!(subjects(&world).await?, wanted);
    let mails = world.inbox_of(CUSTOMER).await?;
    assert!(text(&mails[0], "text").contains("we give you ₹200.50 back of what you paid"));
    world.end().await
}

#[tokio::test]
async fn the_end_of_an_unannounced_refund_blocks_nothing() -> Result<()> {
    let world = World::new().await?;
    let booking_id = world.booking(SessionMode::Online).to_string();
    world.append_event(RefundProcessed { booking_id, refund_id: new_id::<Refund>() }).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    // This also checks that no event is parked.
    world.end().await
}

#[tokio::test]
async fn the_practice_is_told_of_a_dispute_with_its_day_and_of_its_end() -> Result<()> {
    let world = World::new().await?;
    let booking_id = world.booking(SessionMode::Online).to_string();
    let until: kernel::Timestamp = "2026-11-27T12:30:00Z".parse()?;
    let told = |state: &str| DisputeObserved {
        booking_id: booking_id.clone(),
        payment_id: "pay_1".to_owned(),
        dispute_id: "disp_1".to_owned(),
        state: state.to_owned(),
        phase: "chargeback".to_owned(),
        amount: inr(75_000),
        respond_by_at: Some(to_wire(until)),
        provider: "razorpay".to_owned(),
        ..Default::default()
    };
    for state in ["open", "open", "under_review", "lost"] {
        world.append_event(told(state)).await?;
        world.until_idle().await?;
    }
    let mails = world.inbox_of(PRACTICE).await?;
    let subjects: Vec<&str> = mails.iter().map(|mail| text(mail, "subject")).collect();
    let [first, last] = subjects.as_slice() else { panic!("{subjects:?}") };
    assert_eq!(*first, "Answer by Friday 27 November 2026, 6:00 pm IST: ₹750 is disputed");
    assert!(last.starts_with("Dispute lost: ₹750 for booking "), "{last}");
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 0);
    world.end().await
}
