//! A client asks for a refund, and the practice answers: each is mailed once, what is not true any
//! more is dropped, and why the client asks stands in no mail.

use anyhow::Result;
use contract::booking::v1::SessionMode;
use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::{GetRefundRequestMailResponse, RefundAsked, RefundRequestAnswered};
use kernel::id::RefundRequest;

use crate::world::{CUSTOMER, PRACTICE, World, new_id, text};

fn inr(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency_code: "INR".to_owned() })
}

/// A request about a new booking, as payments tells of it.
fn asked(world: &World) -> Result<RefundAsked> {
    asked_about(world, world.booking(SessionMode::Online).to_string())
}

fn asked_about(world: &World, booking_id: String) -> Result<RefundAsked> {
    let asked = RefundAsked { request_id: new_id::<RefundRequest>(), booking_id };
    let answer_by: kernel::Timestamp = "2026-11-26T05:30:00Z".parse()?;
    let known = GetRefundRequestMailResponse {
        number: "R-17".to_owned(),
        booking_id: asked.booking_id.clone(),
        answer_by_at: Some(to_wire(answer_by)),
        close_by_at: Some(to_wire(answer_by.plus_minutes(11 * 24 * 60))),
        ..GetRefundRequestMailResponse::default()
    };
    world.data.refund_requests.lock().unwrap().insert(asked.request_id.clone(), known);
    Ok(asked)
}

/// The practice answers.
fn answers(world: &World, asked: &RefundAsked, amount: Option<Money>) -> RefundRequestAnswered {
    let mut requests = world.data.refund_requests.lock().unwrap();
    let known = requests.get_mut(&asked.request_id).unwrap();
    (known.answered, known.amount) = (true, amount.clone());
    known.answer = "We are <b>sorry</b>.\nPlease come again.".to_owned();
    RefundRequestAnswered {
        request_id: asked.request_id.clone(),
        booking_id: asked.booking_id.clone(),
        amount,
    }
}

/// A refund of one booking is asked for, and a request about another one is answered.
pub(crate) async fn asked_and_answered(world: &World, [one, other]: [String; 2]) -> Result<()> {
    world.append_event(asked_about(world, one)?).await?;
    let request = asked_about(world, other)?;
    world.append_event(answers(world, &request, None)).await?;
    Ok(())
}

#[tokio::test]
async fn both_sides_are_told_of_a_request_and_the_client_of_its_answer() -> Result<()> {
    let world = World::new().await?;
    let request = asked(&world)?;
    world.append_event(request.clone()).await?;
    world.append_event(request.clone()).await?;
    world.until_idle().await?;
    let client = world.inbox_of(CUSTOMER).await?;
    assert_eq!(client.len(), 1);
    assert_eq!(text(&client[0], "subject"), "We have your request for a refund, R-17");
    assert!(text(&client[0], "text").contains("Thursday 26 November 2026, 11:00 am IST"));
    let page = format!("/account/sessions/{}", request.booking_id);
    assert!(text(&client[0], "text").contains(&page), "where the request stands");
    let practice = world.inbox_of(PRACTICE).await?;
    assert_eq!(practice.len(), 1);
    assert!(text(&practice[0], "subject").starts_with("A request for a refund: R-17, booking "));
    assert!(text(&practice[0], "text").contains("http://127.0.0.1:8080/desk/tasks"));
    for client in ["O'Neil", "asha@example.org", "+919800000000"] {
        assert!(!text(&practice[0], "text").contains(client), "{client}");
    }
    let answered = answers(&world, &request, inr(50_000));
    world.append_event(answered.clone()).await?;
    world.append_event(answered).await?;
    world.until_idle().await?;
    let client = world.inbox_of(CUSTOMER).await?;
    assert_eq!(client.len(), 2);
    assert_eq!(text(&client[1], "subject"), "You get ₹500 back: your request R-17");
    for part in ["Monday 7 December 2026", "We are <b>sorry</b>.", "Please come again."] {
        assert!(text(&client[1], "text").contains(part), "{part}: {}", text(&client[1], "text"));
    }
    assert!(text(&client[1], "html").contains("&lt;b&gt;sorry"));
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_client_who_gets_nothing_back_is_told_so() -> Result<()> {
    let world = World::new().await?;
    let request = asked(&world)?;
    let answered = answers(&world, &request, None);
    world.append_event(answered).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "Our answer to your request R-17");
    assert!(text(&mails[0], "text").contains("no money goes back"));
    world.end().await
}

#[tokio::test]
async fn what_is_answered_already_or_gone_is_not_told() -> Result<()> {
    let world = World::new().await?;
    let request = asked(&world)?;
    let answered = answers(&world, &request, None);
    world.append_event(request).await?;
    world.append_event(answered).await?;
    world.until_idle().await?;
    for kind in ["refund_asked", "refund_asked_notice"] {
        assert_eq!(world.column(kind, "state").await?.as_deref(), Some("dropped"), "{kind}");
        assert_eq!(world.column(kind, "last_error").await?.as_deref(), Some("overtaken"), "{kind}");
    }
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 0);
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    world.end().await
}

/// As after a restore of an older copy of payments.
#[tokio::test]
async fn a_request_that_is_gone_is_not_told() -> Result<()> {
    let world = World::new().await?;
    let request = asked(&world)?;
    world.data.refund_requests.lock().unwrap().clear();
    world.append_event(request).await?;
    world.until_idle().await?;
    assert_eq!(world.column("refund_asked", "last_error").await?.as_deref(), Some("request_gone"));
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 0);
    world.end().await
}

/// Nothing is lost while the services that know of it do not answer.
#[tokio::test]
async fn a_mail_about_a_request_waits_for_its_facts() -> Result<()> {
    let world = World::new().await?;
    let request = asked(&world)?;
    world.data.down.store(true, std::sync::atomic::Ordering::SeqCst);
    world.append_event(request).await?;
    for kind in ["refund_asked", "refund_asked_notice"] {
        world.until_tried(kind, 1).await?;
    }
    world.data.down.store(false, std::sync::atomic::Ordering::SeqCst);
    world.move_clock(40).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}
