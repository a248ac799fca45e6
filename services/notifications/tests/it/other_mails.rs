//! Holds that ended, refunds, and codes.

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::identity::v1::{
    AccountNoticeRequested, CodeRequested, GetAccountNoticeResponse, GetCodeMailResponse,
};
use contract::payments::v1::{RefundAccepted, RefundProcessed, RefundRequested};
use kernel::id::{AccountNotice, Customer, MailedCode, Refund};
use serde_json::Value;

use crate::world::{CUSTOMER, World, new_id, text};

#[tokio::test]
async fn a_hold_that_ended_shows_a_way_back() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id.clone() }).await?;
    world.append_event(BookingExpired { booking_id: id }).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "The time you chose is free again");
    let link = "http://127.0.0.1:8080/booking-flow?service=meditation";
    assert!(text(&mails[0], "text").contains(link));
    world.end().await
}

#[tokio::test]
async fn a_hold_that_was_placed_again_meanwhile_is_not_said_to_have_ended() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online).to_string();
    world.append_event(BookingExpired { booking_id: id }).await?;
    world.until_idle().await?;
    assert_eq!(world.column("hold_ended", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    assert_eq!(world.published("hold_ended").await?, Vec::<&str>::new());
    world.end().await
}

#[tokio::test]
async fn a_refund_is_mailed_at_its_start_and_its_end() -> Result<()> {
    let world = World::new().await?;
    let booking_id = world.booking(SessionMode::Online).to_string();
    world.data.change(&booking_id, |booking| booking.set_state(BookingState::PaidUnplaced));
    let requested = RefundRequested {
        booking_id: booking_id.clone(),
        refund_id: new_id::<Refund>(),
        payment_id: "pay_1".to_owned(),
        amount: Some(Money { minor_units: 210_050, currency_code: "INR".to_owned() }),
        cause: "unplaced".to_owned(),
        ..Default::default()
    };
    let accepted = RefundAccepted {
        booking_id: booking_id.clone(),
        refund_id: requested.refund_id.clone(),
        ..RefundAccepted::default()
    };
    let processed = RefundProcessed { booking_id, refund_id: requested.refund_id.clone() };
    world.append_event(requested.clone()).await?;
    world.append_event(requested).await?;
    world.append_event(accepted.clone()).await?;
    world.append_event(accepted).await?;
    world.until_idle().await?;
    world.append_event(processed.clone()).await?;
    world.append_event(processed).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let subjects: Vec<&str> = mails.iter().map(|mail| text(mail, "subject")).collect();
    let wanted = ["Your refund of ₹2,100.50 is on its way", "Your refund of ₹2,100.50 is done"];
    assert_eq!(subjects, wanted);
    assert!(text(&mails[0], "text").contains("could no longer be given to you"));
    assert!(text(&mails[1], "text").contains("5-7 business days"));
    world.end().await
}

fn code(purpose: &str) -> GetCodeMailResponse {
    GetCodeMailResponse {
        email: "asha@example.org".to_owned(),
        first_name: String::new(),
        code: "482913".to_owned(),
        purpose: purpose.to_owned(),
        valid_minutes: 60,
        link: String::new(),
        account: String::new(),
    }
}

#[tokio::test]
async fn codes_are_mailed_at_once() -> Result<()> {
    let world = World::new().await?;
    let wanted = [
        ("signup", "Confirm your e-mail address"),
        ("recovery", "Choose a new password"),
        ("magiclink", "Your code to sign in"),
        ("invite", "An account was made for you"),
        ("email_change_current", "Confirm that your address changes"),
        ("email_change_new", "Confirm your new e-mail address"),
        ("reauthentication", "Your code to go on"),
    ];
    for (purpose, _) in wanted {
        let code_id = new_id::<MailedCode>();
        world.data.codes.lock().unwrap().insert(code_id.clone(), code(purpose));
        let (user_id, purpose) = (new_id::<Customer>(), purpose.to_owned());
        world.append_event(CodeRequested { code_id, user_id, purpose }).await?;
        world.until_idle().await?;
    }
    let mails = world.inbox_of(CUSTOMER).await?;
    let subjects: Vec<&str> = mails.iter().map(|mail| text(mail, "subject")).collect();
    assert_eq!(subjects, wanted.map(|(_, subject)| subject));
    assert!(mails.iter().all(|mail| text(mail, "text").contains("482913")));
    assert!(!world.dump().await?.contains("482913"));
    world.end().await
}

#[tokio::test]
async fn a_code_that_is_gone_is_dropped_silently() -> Result<()> {
    let world = World::new().await?;
    let (code_id, user_id) = (new_id::<MailedCode>(), new_id::<Customer>());
    world.append_event(CodeRequested { code_id, user_id, purpose: "signup".to_owned() }).await?;
    world.until_idle().await?;
    assert_eq!(world.column("confirm_address", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.column("confirm_address", "last_error").await?.as_deref(), Some("code_gone"));
    assert_eq!(world.published("confirm_address").await?, Vec::<&str>::new());
    world.end().await
}

#[tokio::test]
async fn a_person_is_told_of_a_change_to_the_account() -> Result<()> {
    let world = World::new().await?;
    let notice_id = new_id::<AccountNotice>();
    let notice = GetAccountNoticeResponse {
        email: "asha@example.org".to_owned(),
        first_name: "Asha".to_owned(),
        kind: "factor_added".to_owned(),
        occurred_at: Some(to_wire("2026-11-20T09:00:00Z".parse()?)),
        device: "Chrome on Windows".to_owned(),
        network: "203.0.113.x".to_owned(),
        subject: "phone".to_owned(),
    };
    world.data.notices.lock().unwrap().insert(notice_id.clone(), notice);
    let requested = AccountNoticeRequested { notice_id, kind: "factor_added".to_owned() };
    world.append_event(requested.clone()).await?;
    world.append_event(requested).await?;
    let gone = new_id::<AccountNotice>();
    let kind = "passkey_added".to_owned();
    world.append_event(AccountNoticeRequested { notice_id: gone, kind }).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "A second factor was added");
    assert!(!text(&mails[0], "text").contains("an phone"));
    for words in ["added to it: phone", "Chrome on Windows", "203.0.113.x", "/account"] {
        assert!(text(&mails[0], "text").contains(words), "{words}");
    }
    assert!(!world.dump().await?.contains("203.0.113"));
    world.end().await
}
