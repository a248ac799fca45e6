//! Refunds that are retried, that the practice made elsewhere, and that no earlier event announced;
//! and disputes, of which only the practice is notified.

use anyhow::Result;
use contract::booking::v1::SessionMode;
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::{
    DisputeObserved, RefundAccepted, RefundDiscovered, RefundFailed, RefundProcessed,
    RefundRequested,
};
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
    let renewed = RefundRequested {
        refund_id: new_id::<Refund>(),
        renewed: true,
        renews_refund_id: first.refund_id.clone(),
        ..first.clone()
    };
    let processed = RefundProcessed { booking_id, refund_id: renewed.refund_id.clone() };
    for refund in [first, renewed] {
        world.append_event(refund.clone()).await?;
        world.append_event(accepted(&refund)).await?;
    }
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["Your refund of ₹750 is on its way"]);
    world.append_event(processed).await?;
    world.until_idle().await?;
    let wanted = ["Your refund of ₹750 is on its way", "Your refund of ₹750 is done"];
    assert_eq!(subjects(&world).await?, wanted);
    world.end().await
}

fn accepted(refund: &RefundRequested) -> RefundAccepted {
    RefundAccepted {
        booking_id: refund.booking_id.clone(),
        refund_id: refund.refund_id.clone(),
        provider_refund_id: "rfnd_1".to_owned(),
        ..RefundAccepted::default()
    }
}

fn failed(refund: &RefundRequested, reason: &str) -> RefundFailed {
    let by_bank = reason == "lost_to_a_dispute";
    RefundFailed {
        booking_id: refund.booking_id.clone(),
        refund_id: refund.refund_id.clone(),
        reason: reason.to_owned(),
        r#final: !by_bank,
        amount: refund.amount.clone(),
        given_by_bank: refund.amount.clone().filter(|_| by_bank),
    }
}

fn requested(world: &World) -> RefundRequested {
    RefundRequested {
        booking_id: world.booking(SessionMode::Online).to_string(),
        refund_id: new_id::<Refund>(),
        payment_id: "pay_1".to_owned(),
        amount: inr(75_000),
        cause: "cancelled".to_owned(),
        ..Default::default()
    }
}

/// A refund that a dispute holds, or that the provider refuses, is promised by no mail.
#[tokio::test]
async fn a_refund_is_announced_when_the_provider_took_it() -> Result<()> {
    let world = World::new().await?;
    let refund = requested(&world);
    world.append_event(refund.clone()).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, Vec::<String>::new());
    // It comes to nothing before the provider took it, and another one takes its place.
    let renewed = RefundRequested {
        refund_id: new_id::<Refund>(),
        renewed: true,
        renews_refund_id: refund.refund_id.clone(),
        amount: inr(55_000),
        ..refund
    };
    world.append_event(renewed.clone()).await?;
    world.append_event(accepted(&renewed)).await?;
    world.append_event(accepted(&renewed)).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["Your refund of ₹550 is on its way"]);
    world.end().await
}

#[tokio::test]
async fn a_refund_that_failed_for_good_is_told_to_both_sides() -> Result<()> {
    let world = World::new().await?;
    let refund = requested(&world);
    let owes = |booking: &mut contract::booking::v1::Booking| booking.refund_owed = inr(75_000);
    world.data.change(&refund.booking_id, owes);
    world.append_event(refund.clone()).await?;
    world.append_event(failed(&refund, "payment_too_old")).await?;
    world.append_event(failed(&refund, "payment_too_old")).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["We owe you ₹750"]);
    let mails = world.inbox_of(CUSTOMER).await?;
    assert!(text(&mails[0], "text").contains("The money is still yours"));
    let notices = world.inbox_of(PRACTICE).await?;
    assert_eq!(notices.len(), 1);
    assert!(text(&notices[0], "subject").starts_with("A refund of ₹750 failed: booking "));
    world.end().await
}

/// bugs.md B F2: less than the provider's least was promised by no mail, and its end is none.
#[tokio::test]
async fn a_rest_that_is_too_small_for_the_provider_is_no_mail() -> Result<()> {
    let world = World::new().await?;
    let refund = RefundRequested { amount: inr(50), ..requested(&world) };
    let owes = |booking: &mut contract::booking::v1::Booking| booking.refund_owed = inr(50);
    world.data.change(&refund.booking_id, owes);
    world.append_event(refund.clone()).await?;
    world.append_event(failed(&refund, "below_the_least")).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}

#[tokio::test]
async fn money_that_the_bank_gave_is_not_said_to_be_owed() -> Result<()> {
    let world = World::new().await?;
    let refund = requested(&world);
    let gave = |booking: &mut contract::booking::v1::Booking| booking.given_by_bank = inr(75_000);
    world.data.change(&refund.booking_id, gave);
    world.append_event(refund.clone()).await?;
    world.append_event(failed(&refund, "lost_to_a_dispute")).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["Your bank has given you ₹750 back"]);
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 0, "the dispute's own notice said it");
    world.end().await
}

/// A refund failed, its client turned to the bank, and the mail that it is owed is corrected.
#[tokio::test]
async fn what_was_owed_and_came_by_the_bank_is_told_by_another_mail() -> Result<()> {
    let world = World::new().await?;
    let refund = requested(&world);
    let owes = |booking: &mut contract::booking::v1::Booking| booking.refund_owed = inr(75_000);
    world.data.change(&refund.booking_id, owes);
    world.append_event(refund.clone()).await?;
    world.append_event(failed(&refund, "payment_too_old")).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["We owe you ₹750"]);
    let gave = |booking: &mut contract::booking::v1::Booking| {
        booking.refund_owed = None;
        booking.given_by_bank = inr(75_000);
    };
    world.data.change(&refund.booking_id, gave);
    for _ in 0..2 {
        world.append_event(failed(&refund, "lost_to_a_dispute")).await?;
    }
    world.until_idle().await?;
    let wanted = ["We owe you ₹750", "Your bank has given you ₹750 back"];
    assert_eq!(subjects(&world).await?, wanted);
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1, "the dispute's own notice says it");
    world.end().await
}

/// A refund that failed before this release said so by itself: booking knows what is owed.
#[tokio::test]
async fn a_refund_that_ended_before_is_told_once() -> Result<()> {
    let world = World::new().await?;
    let (refund, over) = (requested(&world), requested(&world));
    let owes = |booking: &mut contract::booking::v1::Booking| booking.refund_owed = inr(75_000);
    world.data.change(&refund.booking_id, owes);
    let old = |refund| RefundFailed { r#final: false, amount: None, ..failed(refund, "failed") };
    world.append_event(old(&refund)).await?;
    world.append_event(old(&refund)).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["We owe you ₹750"]);
    // Of the other one nothing is owed.
    world.append_event(old(&over)).await?;
    world.until_taken_in().await?;
    world.move_clock(61 * 60).await?;
    world.until_idle().await?;
    assert_eq!(subjects(&world).await?, ["We owe you ₹750"]);
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
