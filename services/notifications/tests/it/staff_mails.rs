//! Staff lists mails with their states, retries one, and settles failed ones.

use anyhow::Result;
use contract::booking::v1::{BookingExpired, BookingState, SessionMode};
use contract::notifications::v1::{
    Delivery, DeliveryState, ListMailsRequest, MailKind, RetryMailRequest, SettleMailRequest,
};
use kernel::Id;
use kernel::id::Booking;
use notifications::mails::kind::Kind;
use notifications::mails::mail::NewMail;
use runtime::status::detail_of;
use serde_json::json;
use tonic::{Code, Status};

use crate::staff::{StaffClient, audited};
use crate::world::{CUSTOMER, World, new_id, text};

/// A mail to one person, due at once.
async fn hold_ended(world: &World) -> Result<Id<Booking>> {
    let id = world.booking(SessionMode::Online);
    world.data.change(&id.to_string(), |booking| booking.set_state(BookingState::Expired));
    world.append_event(BookingExpired { booking_id: id.to_string() }).await?;
    Ok(id)
}

/// The only mail that staff sees.
async fn only(world: &World, staff: &mut StaffClient) -> Result<Delivery> {
    let request = staff.by(world, ListMailsRequest::default())?;
    let mut mails = staff.client.list_mails(request).await?.into_inner().mails;
    assert_eq!(mails.len(), 1);
    Ok(mails.remove(0))
}

async fn retry(world: &World, staff: &mut StaffClient, mail_id: &str) -> Result<Delivery, Status> {
    let request = staff.by(world, RetryMailRequest { mail_id: mail_id.to_owned() }).unwrap();
    Ok(staff.client.retry_mail(request).await?.into_inner().mail.unwrap())
}

async fn settle(world: &World, staff: &mut StaffClient, mail_id: &str) -> Result<Delivery, Status> {
    let request = staff.by(world, SettleMailRequest { mail_id: mail_id.to_owned() }).unwrap();
    Ok(staff.client.settle_mail(request).await?.into_inner().mail.unwrap())
}

fn refused<T>(answer: Result<T, Status>) -> (Code, String) {
    let status = answer.err().unwrap();
    (status.code(), detail_of(&status).unwrap().reason)
}

fn because(code: Code, reason: &str) -> (Code, String) {
    (code, reason.to_owned())
}

#[tokio::test]
async fn a_mail_that_failed_is_seen_and_tried_again_for_a_person() -> Result<()> {
    let world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("owner")).await?;
    world.order_fault(json!({ "target": "smtp", "kind": "refuse", "status": 550 })).await?;
    let booking = hold_ended(&world).await?;
    world.until_idle().await?;
    let failed = only(&world, &mut staff).await?;
    assert_eq!((failed.kind(), failed.state()), (MailKind::HoldEnded, DeliveryState::Failed));
    assert_eq!((failed.booking_id.clone(), failed.subject.clone()), {
        (booking.to_string(), booking.to_string())
    });
    assert_eq!((failed.attempts, &*failed.reason), (1, "smtp_550"));
    assert!(failed.queued_at.is_some() && failed.due_at.is_none() && failed.sent_at.is_none());

    // Long after its retry window, and the server accepts mails again.
    world.move_clock(80 * 3600).await?;
    let queued = retry(&world, &mut staff, &failed.mail_id).await?;
    assert_eq!(queued.state(), DeliveryState::Queued);
    assert!(queued.due_at.is_some());
    assert_eq!(queued.attempts, 0, "its waits begin anew");
    world.until_idle().await?;
    let sent = only(&world, &mut staff).await?;
    assert_eq!((sent.state(), sent.attempts, &*sent.reason), (DeliveryState::Sent, 1, ""));
    assert!(sent.sent_at.is_some() && sent.due_at.is_none());
    assert_eq!(sent.message_id, failed.message_id, "the same on every try");
    let inbox = world.inbox_of(CUSTOMER).await?;
    assert_eq!(inbox.len(), 1);
    assert_eq!(format!("<{}>", text(&inbox[0], "messageId")), sent.message_id);
    assert_eq!(world.published("hold_ended").await?, ["failed for good", "sent"]);

    let over = because(Code::FailedPrecondition, "MAIL_IS_OVER");
    assert_eq!(refused(retry(&world, &mut staff, &sent.mail_id).await), over);
    let not_failed = because(Code::FailedPrecondition, "MAIL_NOT_FAILED");
    assert_eq!(refused(settle(&world, &mut staff, &sent.mail_id).await), not_failed);
    world.end().await
}

#[tokio::test]
async fn a_retry_gets_three_more_days() -> Result<()> {
    let world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("admin")).await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.move_clock(73 * 3600).await?;
    world.until_state("hold_ended", "failed").await?;
    let failed = only(&world, &mut staff).await?;
    retry(&world, &mut staff, &failed.mail_id).await?;
    world.until_state("hold_ended", "retrying").await?;
    world.move_clock((73 + 71) * 3600).await?;
    world.until_tried("hold_ended", 2).await?;
    // A retrying mail is sent at once.
    let waiting = only(&world, &mut staff).await?;
    assert_eq!((waiting.state(), &*waiting.reason), {
        (DeliveryState::Retrying, "smtp_unreachable")
    });
    world.clear_faults().await?;
    retry(&world, &mut staff, &waiting.mail_id).await?;
    world.until_idle().await?;
    assert_eq!(only(&world, &mut staff).await?.state(), DeliveryState::Sent);
    world.end().await
}

#[tokio::test]
async fn a_retry_of_a_mail_in_flight_gets_three_more_days() -> Result<()> {
    let mut world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("owner")).await?;
    world.order_fault(json!({ "target": "smtp_connect", "kind": "drop", "times": 0 })).await?;
    hold_ended(&world).await?;
    world.until_tried("hold_ended", 1).await?;
    world.stop().await?;
    // Its last attempt is in flight, and staff retries it.
    world.move_clock(73 * 3600).await?;
    assert!(world.begin(&world.mail("hold_ended").await?).await?.is_some());
    let mail = only(&world, &mut staff).await?;
    let sending = retry(&world, &mut staff, &mail.mail_id).await?;
    assert_eq!(sending.state(), DeliveryState::Sending);
    assert_eq!(world.column("hold_ended", "first_tried_at::text").await?, None);
    world.end_claims().await?;
    world.move_clock(74 * 3600).await?;
    world.start();
    world.until_tried("hold_ended", 3).await?;
    assert_eq!(world.published("hold_ended").await?, ["failed"]);
    world.end().await
}

#[tokio::test]
async fn a_settled_mail_is_audited() -> Result<()> {
    let world = World::new().await?;
    let mut staff = StaffClient::new(&world, Some("admin")).await?;
    world.order_fault(json!({ "target": "smtp", "kind": "refuse", "status": 550 })).await?;
    hold_ended(&world).await?;
    world.until_idle().await?;
    let id = only(&world, &mut staff).await?.mail_id;
    let settled = settle(&world, &mut staff, &id).await?;
    assert_eq!((settled.state(), &*settled.reason), (DeliveryState::Settled, "smtp_550"));
    let not_failed = because(Code::FailedPrecondition, "MAIL_NOT_FAILED");
    assert_eq!(refused(settle(&world, &mut staff, &id).await), not_failed);
    let over = because(Code::FailedPrecondition, "MAIL_IS_OVER");
    assert_eq!(refused(retry(&world, &mut staff, &id).await), over);
    let unknown = because(Code::NotFound, "MAIL_UNKNOWN");
    let stranger = new_id::<kernel::id::Mail>();
    for id in [stranger.as_str(), "", "asha@example.org"] {
        assert_eq!(refused(settle(&world, &mut staff, id).await), unknown);
        assert_eq!(refused(retry(&world, &mut staff, id).await), unknown);
    }
    let acts: Vec<(String, String)> =
        audited(&world).await?.into_iter().map(|(_, action, outcome)| (action, outcome)).collect();
    let act = |action: &str, outcome: &str| (action.to_owned(), outcome.to_owned());
    let wanted = [
        act("ListMails", "done"),
        act("SettleMail", "done"),
        act("SettleMail", "MAIL_NOT_FAILED"),
        act("RetryMail", "MAIL_IS_OVER"),
        act("SettleMail", "MAIL_UNKNOWN"),
        act("RetryMail", "MAIL_UNKNOWN"),
    ];
    assert_eq!(acts[..6], wanted);
    let subjects: Vec<String> =
        sqlx::query_scalar("select subject from audit_log order by audit_id")
            .fetch_all(world.store.pool())
            .await?;
    assert_eq!(subjects[..4], ["", &id, &id, &id]);
    assert!(!subjects.iter().any(|subject| subject.contains('@')), "{subjects:?}");
    world.end().await
}

#[tokio::test]
async fn pages_hold_every_mail_once_newest_first() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    let mut staff = StaffClient::new(&world, Some("owner")).await?;
    let bookings: Vec<Id<Booking>> = (0..4).map(|_| eventstore::new_id()).collect();
    // Two are queued at the same moment each time.
    for booking in &bookings {
        let of = |kind| NewMail::of_booking(kind, *booking);
        world.queue(vec![of(Kind::BookingConfirmed), of(Kind::PracticeNotice)]).await?;
    }
    let sql = "update mails set state = 'failed' where kind = 'practice_notice'";
    sqlx::query(sql).execute(world.store.pool()).await?;
    let ask = async |staff: &mut StaffClient, asked: ListMailsRequest| {
        let request = staff.by(&world, asked)?;
        anyhow::Ok(staff.client.list_mails(request).await?.into_inner())
    };
    let mut asked = ListMailsRequest { page_size: 3, ..Default::default() };
    let mut seen: Vec<Delivery> = Vec::new();
    for size in [3, 3, 2] {
        let page = ask(&mut staff, asked.clone()).await?;
        assert_eq!(page.mails.len(), size);
        assert_eq!(page.next_page_token.is_empty(), size == 2);
        let counts: Vec<_> = page.counts.iter().map(|it| (it.state(), it.mails)).collect();
        assert_eq!(counts, [(DeliveryState::Queued, 4), (DeliveryState::Failed, 4)]);
        asked.page_token = page.next_page_token;
        seen.extend(page.mails);
        // Mails queued or deleted between two pages shift no other.
        world.queue(vec![NewMail::of_booking(Kind::HoldEnded, eventstore::new_id())]).await?;
        sqlx::query("delete from mails where kind = 'hold_ended'")
            .execute(world.store.pool())
            .await?;
    }
    let order: Vec<_> = seen.iter().map(|mail| mail.booking_id.clone()).collect();
    let wanted: Vec<_> =
        bookings.iter().rev().flat_map(|id| [id.to_string(), id.to_string()]).collect();
    assert_eq!(order, wanted);
    let mut ids: Vec<_> = seen.iter().map(|mail| mail.mail_id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8);

    let mut failed = ListMailsRequest { page_size: 3, ..Default::default() };
    failed.set_state(DeliveryState::Failed);
    let first = ask(&mut staff, failed.clone()).await?;
    assert!(first.mails.iter().all(|mail| mail.state() == DeliveryState::Failed));
    failed.page_token = first.next_page_token.clone();
    assert_eq!(ask(&mut staff, failed).await?.mails.len(), 1);
    let of_one = ListMailsRequest { booking_id: bookings[1].to_string(), ..Default::default() };
    let page = ask(&mut staff, of_one).await?;
    assert_eq!((page.mails.len(), page.counts.len()), (2, 2));
    assert!(page.counts.iter().all(|it| it.mails == 1));

    for page_token in ["nonsense".to_owned(), first.next_page_token] {
        let request = staff.by(&world, ListMailsRequest { page_token, ..Default::default() })?;
        let answer = staff.client.list_mails(request).await;
        assert_eq!(refused(answer), because(Code::InvalidArgument, "INVALID_PAGE_TOKEN"));
    }
    let request =
        staff.by(&world, ListMailsRequest { booking_id: "42".to_owned(), ..Default::default() })?;
    let answer = staff.client.list_mails(request).await;
    assert_eq!(refused(answer), because(Code::InvalidArgument, "INVALID_BOOKING_ID"));
    Ok(())
}

#[tokio::test]
async fn only_managers_see_and_change_mails() -> Result<()> {
    let world = World::new().await?;
    hold_ended(&world).await?;
    world.until_idle().await?;
    let id = new_id::<kernel::id::Mail>();
    for (role, reason) in [
        (None, "STAFF_ONLY"),
        (Some("front_desk"), "ROLE_NOT_ALLOWED"),
        (Some("practitioner"), "ROLE_NOT_ALLOWED"),
    ] {
        let mut staff = StaffClient::new(&world, role).await?;
        let wanted = because(Code::PermissionDenied, reason);
        let request = staff.by(&world, ListMailsRequest::default())?;
        assert_eq!(refused(staff.client.list_mails(request).await), wanted, "{role:?}");
        assert_eq!(refused(retry(&world, &mut staff, &id).await), wanted, "{role:?}");
        assert_eq!(refused(settle(&world, &mut staff, &id).await), wanted, "{role:?}");
    }
    // Those of the caller without a role are counted elsewhere.
    assert_eq!(audited(&world).await?.len(), 6);
    world.end().await
}
