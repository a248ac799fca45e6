//! The mail with the address of the page on which a booking by phone is paid.

use anyhow::Result;
use contract::booking::v1::{
    BookingState, ConsentCodeRequested, GetConsentCodeMailResponse, PaymentPageRequested,
    SessionMode,
};
use contract::convert::to_wire;
use kernel::Timestamp;
use serde_json::Value;

use crate::world::{CUSTOMER, World, text};

const PAGE_KEY: &str = "hJ4u0Yt2cQk8rVb1nWm7xZp5sLd9gFa3eTi6oUy_KwQ";

/// A booking by phone that is held until the evening before its session.
fn held(world: &World) -> Result<String> {
    let id = world.booking(SessionMode::Online).to_string();
    let until: Timestamp = "2026-11-23T12:30:00Z".parse()?;
    world.data.change(&id, |booking| {
        booking.set_state(BookingState::Held);
        booking.held_until_at = Some(to_wire(until));
        booking.join_url = String::new();
    });
    world.data.page_keys.lock().unwrap().insert(id.clone(), PAGE_KEY.to_owned());
    Ok(id)
}

fn requested(booking_id: &str, request_number: i64) -> PaymentPageRequested {
    PaymentPageRequested { booking_id: booking_id.to_owned(), request_number, renewed: false }
}

#[tokio::test]
async fn each_request_of_staff_is_one_mail() -> Result<()> {
    let world = World::new().await?;
    let booking_id = held(&world)?;
    let first = requested(&booking_id, 2);
    world.append_event(first.clone()).await?;
    world.append_event(first).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    let subject = "Your time is held until Monday 23 November 2026, 6:00 pm IST";
    assert_eq!(text(&mails[0], "subject"), subject);
    let link = format!("http://127.0.0.1:8080/pay/booking#key={PAGE_KEY}");
    for form in ["text", "html"] {
        assert!(text(&mails[0], form).contains(&link), "{form}");
    }
    // Of what is not booked there is no calendar file.
    assert!(!text(&mails[0], "text").contains("calendar"));
    world.append_event(requested(&booking_id, 3)).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn no_mail_leads_to_a_page_on_which_nothing_is_to_be_paid() -> Result<()> {
    let world = World::new().await?;
    let booking_id = held(&world)?;
    world.data.change(&booking_id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(requested(&booking_id, 2)).await?;
    world.until_idle().await?;
    assert_eq!(world.column("payment_page", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}

#[tokio::test]
async fn a_new_key_is_mailed_also_when_nothing_is_to_be_paid() -> Result<()> {
    let world = World::new().await?;
    let booking_id = held(&world)?;
    world.data.change(&booking_id, |booking| {
        booking.set_state(BookingState::Cancelled);
        booking.held_until_at = None;
    });
    let renewed = PaymentPageRequested { renewed: true, ..requested(&booking_id, 5) };
    world.append_event(renewed.clone()).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "The new link to your booking");
    assert!(text(&mails[0], "text").contains(&format!("/pay/booking#key={PAGE_KEY}")));
    // The mail says nothing of the session.
    assert!(!text(&mails[0], "text").contains("2026"), "{}", text(&mails[0], "text"));
    // Of a booking that an account owns there is no page.
    world.data.page_keys.lock().unwrap().clear();
    let renewed = PaymentPageRequested { request_number: 6, ..renewed };
    world.append_event(renewed).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn each_request_of_a_code_is_one_mail_while_the_code_works() -> Result<()> {
    let world = World::new().await?;
    let booking_id = held(&world)?;
    let code = GetConsentCodeMailResponse {
        email: CUSTOMER.to_owned(),
        first_name: "Asha".to_owned(),
        code: "042731".to_owned(),
        valid_minutes: 15,
    };
    world.data.consent_codes.lock().unwrap().insert((booking_id.clone(), 2), code);
    for _ in 0..2 {
        let booking_id = booking_id.clone();
        world.append_event(ConsentCodeRequested { booking_id, request_number: 2 }).await?;
    }
    // Of this one booking says that it does not work any more.
    let ended = ConsentCodeRequested { booking_id: booking_id.clone(), request_number: 3 };
    world.append_event(ended).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "Your code to sign the consent");
    for form in ["text", "html"] {
        let words = text(&mails[0], form);
        assert!(words.contains("042731") && words.contains("15 minutes"), "{form}: {words}");
    }
    let sql = "select state from mails where kind = 'consent_code' order by state";
    let states: Vec<String> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    assert_eq!(states, ["dropped", "sent"]);
    world.end().await
}
