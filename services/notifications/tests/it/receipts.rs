//! The receipt as a mail: its number, its issuer, and the tax if there is any.

use anyhow::Result;
use contract::booking::v1::SessionMode;
use contract::common::v1::Money;
use contract::payments::v1::{Receipt, ReceiptIssued, TaxMode};

use crate::fake_services::receipt;
use crate::world::{CUSTOMER, World, new_id, text};

fn inr(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency_code: "INR".to_owned() })
}

/// payments has issued a receipt for a new booking and published the event.
async fn issued(world: &World, change: impl FnOnce(&mut Receipt)) -> Result<ReceiptIssued> {
    let booking_id = world.booking(SessionMode::Online).to_string();
    let receipt_id = new_id::<kernel::id::Receipt>();
    let mut known = receipt(&receipt_id, &booking_id);
    change(&mut known);
    let event = ReceiptIssued {
        receipt_id: receipt_id.clone(),
        booking_id,
        payment_id: known.payment_id.clone(),
        serial: known.serial.clone(),
        amount: known.amount.clone(),
        ..ReceiptIssued::default()
    };
    world.data.receipts.lock().unwrap().insert(receipt_id, known);
    world.append_event(event.clone()).await?;
    world.until_idle().await?;
    Ok(event)
}

#[tokio::test]
async fn a_receipt_is_mailed_once_with_its_number() -> Result<()> {
    let world = World::new().await?;
    let event = issued(&world, |_| {}).await?;
    world.append_event(event.clone()).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "Your receipt SUK/26-27/00001");
    let link = format!("http://127.0.0.1:8080/receipt?b={}", event.booking_id);
    for part in ["SUK/26-27/00001", "Saturday 21 November 2026", "Arera Colony", "₹750", "pay_1"]
    {
        assert!(text(&mails[0], "text").contains(part), "{part}: {mails:?}");
        assert!(text(&mails[0], "html").contains(part), "{part}");
    }
    assert!(text(&mails[0], "text").contains(&link));
    for part in ["CGST", "SGST", "GSTIN"] {
        assert!(!text(&mails[0], "text").contains(part), "{part}");
    }
    assert_eq!(world.column("receipt", "state").await?.as_deref(), Some("sent"));
    world.end().await
}

#[tokio::test]
async fn a_registered_practice_states_its_tax_in_lines_that_add_up() -> Result<()> {
    let world = World::new().await?;
    issued(&world, |receipt| {
        receipt.tax_mode = TaxMode::Gst.into();
        receipt.gst_percent = 18;
        receipt.taxable = inr(63_559);
        receipt.central_tax = inr(5_721);
        receipt.state_tax = inr(5_720);
        receipt.gstin = "23ABCDE1234F1Z5".to_owned();
        receipt.service_code = "999312".to_owned();
        receipt.refunded = inr(10_000);
    })
    .await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    for part in [
        "23ABCDE1234F1Z5",
        "999312",
        "₹635.59",
        "CGST",
        "₹57.21",
        "SGST",
        "₹57.20",
        "9%",
        "₹750",
        "₹100",
    ] {
        assert!(text(&mails[0], "text").contains(part), "{part}: {mails:?}");
        assert!(text(&mails[0], "html").contains(part), "{part}");
    }
    world.end().await
}

#[tokio::test]
async fn each_receipt_of_a_booking_has_a_mail_of_its_own() -> Result<()> {
    let world = World::new().await?;
    let first = issued(&world, |_| {}).await?;
    let receipt_id = new_id::<kernel::id::Receipt>();
    let mut second = receipt(&receipt_id, &first.booking_id);
    second.serial = "SUK/26-27/00002".to_owned();
    world.data.receipts.lock().unwrap().insert(receipt_id.clone(), second);
    world
        .append_event(ReceiptIssued { receipt_id, serial: "SUK/26-27/00002".to_owned(), ..first })
        .await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let subjects: Vec<&str> = mails.iter().map(|mail| text(mail, "subject")).collect();
    assert_eq!(subjects, ["Your receipt SUK/26-27/00001", "Your receipt SUK/26-27/00002"]);
    world.end().await
}
