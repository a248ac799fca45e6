//! The badge: for writers with a proven session, once per session.

use contract::booking::v1::{Attendance, BookingAdopted, BookingAttendanceMarked};
use contract::reviews::v1::{CheckBadgeRequest, CreateInvitationRequest, SubmitReviewRequest};
use eventstore::new_id;
use futures::future::join_all;
use kernel::Id;
use kernel::id::{Booking, Customer};
use messaging::Reaction as _;
use reviews::consumers::booking::OnBooking;
use testkit::until;
use tonic::{Code, Request};

use crate::world::{EMAIL, World, assert_rejected, customer, review_request};

const DAY: i64 = 86_400;

async fn invitation(world: &World, booking_id: Id<Booking>) -> String {
    let asked = CreateInvitationRequest { booking_id: booking_id.to_string() };
    let answer = world.internal("notifications").create_invitation(asked).await.unwrap();
    answer.into_inner().invitation
}

async fn would_be_verified(world: &World, request: Request<CheckBadgeRequest>) -> bool {
    world.public().check_badge(request).await.unwrap().into_inner().would_be_verified
}

async fn invited_would_be(world: &World, invitation: &str) -> bool {
    let asked = CheckBadgeRequest { invitation: invitation.to_owned() };
    would_be_verified(world, Request::new(asked)).await
}

async fn signed_in_would_be(world: &World, customer: Id<Customer>) -> bool {
    would_be_verified(world, world.by(customer, CheckBadgeRequest::default())).await
}

fn by_invitation(invitation: &str) -> SubmitReviewRequest {
    SubmitReviewRequest { invitation: invitation.to_owned(), ..review_request() }
}

#[tokio::test]
async fn a_customer_gets_it_once_for_each_session() {
    let world = World::new().await;
    let asha = customer(1);
    assert!(!signed_in_would_be(&world, asha).await);
    let without = world.submit_as(world.by(asha, review_request())).await.unwrap();
    assert!(!without.verified);
    let bookings = [world.session(asha).await, world.session(asha).await];
    for _ in bookings {
        assert!(signed_in_would_be(&world, asha).await);
        assert!(!signed_in_would_be(&world, customer(2)).await);
        let review = world.submit_as(world.by(asha, review_request())).await.unwrap();
        assert!(review.verified);
        let history = world.history(&review.review_id).await;
        assert_eq!(history, ["ReviewSubmitted", "ReviewVerified"]);
    }
    assert!(!signed_in_would_be(&world, asha).await);
    let third = world.submit_as(world.by(asha, review_request())).await.unwrap();
    assert!(!third.verified);
    let used = "select count(distinct review_id) from sessions where review_id is not null";
    assert_eq!(world.count(used).await, 2);
    assert_eq!(world.statistics().await.verified_count, 2);
}

#[tokio::test]
async fn a_session_that_is_not_over_and_a_typed_address_prove_nothing() {
    let world = World::new().await;
    let booking_id = new_id();
    world.booking.requested(booking_id, customer(1)).await;
    world.session(customer(2)).await;
    assert!(!signed_in_would_be(&world, customer(1)).await);
    assert!(!world.submit_as(world.by(customer(1), review_request())).await.unwrap().verified);
    // A stranger types the address of a customer with a session.
    let stranger = SubmitReviewRequest { email: EMAIL.to_owned(), ..review_request() };
    assert!(!world.submit(stranger.clone()).await.unwrap().verified);
    let signed_in =
        SubmitReviewRequest { idempotency_key: review_request().idempotency_key, ..stranger };
    assert!(!world.submit_as(world.by(customer(3), signed_in)).await.unwrap().verified);
    assert!(signed_in_would_be(&world, customer(2)).await);
    world.booking.completed(booking_id).await;
    world.wait_for_session(booking_id).await;
    assert!(world.submit_as(world.by(customer(1), review_request())).await.unwrap().verified);
}

#[tokio::test]
async fn declining_the_badge_keeps_it_for_later() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let secret = invitation(&world, booking_id).await;
    let asked = SubmitReviewRequest { without_badge: true, ..by_invitation(&secret) };
    assert!(!world.submit_as(world.by(customer(1), asked)).await.unwrap().verified);
    assert!(invited_would_be(&world, &secret).await);
    assert!(world.submit_as(world.by(customer(1), review_request())).await.unwrap().verified);
    assert!(!invited_would_be(&world, &secret).await);
}

#[tokio::test]
async fn one_session_proves_one_review_however_many_come_at_once() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let secret = invitation(&world, booking_id).await;
    let invited = join_all((0..6).map(|_| world.submit(by_invitation(&secret))));
    let signed_in =
        join_all((0..6).map(|_| world.submit_as(world.by(customer(1), review_request()))));
    let (invited, signed_in) = futures::future::join(invited, signed_in).await;
    let mut verified = 0;
    for answer in invited {
        match answer {
            Ok(review) => verified += u32::from(review.verified),
            lost => {
                assert_rejected(
                    lost,
                    Code::FailedPrecondition,
                    "INVITATION_NOT_VALID",
                    "invitation",
                );
            }
        }
    }
    for answer in signed_in {
        verified += u32::from(answer.unwrap().verified);
    }
    assert_eq!(verified, 1);
    assert_eq!(world.statistics().await.verified_count, 1);
}

/// Staff made the booking by phone, for a contact without an account.
#[tokio::test]
async fn a_session_proves_the_reviews_of_the_account_that_adopted_its_booking() {
    let world = World::new().await;
    let (contact, asha, id) = (customer(1), customer(2), new_id());
    world.booking.requested(id, contact).await;
    let (booking_id, customer_id) = (id.to_string(), asha.to_string());
    world.booking.publish(id, &BookingAdopted { booking_id, customer_id }).await;
    world.booking.completed(id).await;
    world.wait_for_session(id).await;
    assert!(!signed_in_would_be(&world, contact).await);
    assert!(signed_in_would_be(&world, asha).await);
}

/// Marked before the session's end is known, or after it; the last mark counts.
#[tokio::test]
async fn who_did_not_come_proves_no_review() {
    let world = World::new().await;
    let mark = async |id: Id<Booking>, no_show: bool| {
        let event = BookingAttendanceMarked {
            booking_id: id.to_string(),
            session_number: 1,
            attendance: if no_show { Attendance::NoShow } else { Attendance::Late }.into(),
            no_show,
        };
        world.booking.publish(id, &event).await;
        until("the mark is known", async || {
            let sql = "select no_show from sessions where booking_id = $1";
            let known: bool =
                sqlx::query_scalar(sql).bind(id).fetch_one(world.store.pool()).await?;
            Ok((known == no_show).then_some(()))
        })
        .await
        .unwrap();
    };
    let (asha, early) = (customer(1), new_id());
    world.booking.requested(early, asha).await;
    let late = world.session(customer(2)).await;
    mark(early, true).await;
    world.booking.completed(early).await;
    world.wait_for_session(early).await;
    let link = invitation(&world, late).await;
    mark(late, true).await;
    assert!(!signed_in_would_be(&world, asha).await);
    assert!(!signed_in_would_be(&world, customer(2)).await);
    assert!(!invited_would_be(&world, &link).await);
    assert!(!world.submit_as(world.by(asha, review_request())).await.unwrap().verified);
    mark(late, false).await;
    assert!(signed_in_would_be(&world, customer(2)).await);
    assert!(world.submit(by_invitation(&link)).await.unwrap().verified);
}

/// It was no session that a client has paid for.
#[tokio::test]
async fn a_free_session_proves_no_review() {
    let world = World::new().await;
    let (asha, id) = (customer(1), new_id());
    world.booking.requested_for(id, asha, 0).await;
    world.booking.completed(id).await;
    world.wait_for_session(id).await;
    assert!(!signed_in_would_be(&world, asha).await);
    assert!(!world.submit_as(world.by(asha, review_request())).await.unwrap().verified);
    let asked = CreateInvitationRequest { booking_id: id.to_string() };
    let refused = world.internal("notifications").create_invitation(asked).await;
    assert_rejected(refused, Code::NotFound, "SESSION_NOT_COMPLETED", "");
    // A session that is paid for does.
    world.session(asha).await;
    assert!(world.submit_as(world.by(asha, review_request())).await.unwrap().verified);
}

#[tokio::test]
async fn an_invitation_is_good_once_and_for_ninety_days() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let secret = invitation(&world, booking_id).await;
    assert_eq!(secret.len(), 43);
    assert_eq!(invitation(&world, booking_id).await, secret);
    assert!(invited_would_be(&world, &secret).await);
    let review = world.submit(by_invitation(&secret)).await.unwrap();
    assert!(review.verified);
    assert!(!invited_would_be(&world, &secret).await);
    let again = world.submit(by_invitation(&secret)).await;
    assert_rejected(again, Code::FailedPrecondition, "INVITATION_NOT_VALID", "invitation");
    let later = world.session(customer(2)).await;
    let secret = invitation(&world, later).await;
    world.move_clock(90 * DAY + 60).await;
    assert!(!invited_would_be(&world, &secret).await);
    let late = world.submit(by_invitation(&secret)).await;
    assert_rejected(late, Code::FailedPrecondition, "INVITATION_NOT_VALID", "invitation");
    assert_eq!(world.statistics().await.count, 1);
}

#[tokio::test]
async fn an_invitation_that_is_not_ours_is_refused() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let secret = invitation(&world, booking_id).await;
    let mut forged = secret.clone();
    forged.replace_range(42.., if secret.ends_with('A') { "B" } else { "A" });
    for wrong in [forged, "x".repeat(43), "nonsense".to_owned(), "a".repeat(5000)] {
        assert!(!invited_would_be(&world, &wrong).await);
        let answer = world.submit(by_invitation(&wrong)).await;
        assert_rejected(answer, Code::FailedPrecondition, "INVITATION_NOT_VALID", "invitation");
    }
    assert!(invited_would_be(&world, &secret).await);
    assert_eq!(world.count("select count(*) from events").await, 0);
}

#[tokio::test]
async fn the_same_key_answers_with_the_verified_review_again() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let asked = by_invitation(&invitation(&world, booking_id).await);
    let answers = join_all((0..5).map(|_| world.submit(asked.clone()))).await;
    let first = world.submit(asked.clone()).await.unwrap();
    assert!(first.verified);
    for answer in answers {
        assert_eq!(answer.unwrap(), first);
    }
}

#[tokio::test]
async fn only_notifications_makes_invitations_and_only_of_completed_sessions() {
    let world = World::new().await;
    let booking_id = world.session(customer(1)).await;
    let asked = || CreateInvitationRequest { booking_id: booking_id.to_string() };
    for other in ["payments", "booking"] {
        let answer = world.internal(other).create_invitation(asked()).await;
        assert_rejected(answer, Code::PermissionDenied, "CALLER_NOT_ALLOWED", "");
    }
    let answer = world.internal("notifications").create_invitation(asked()).await.unwrap();
    let until = answer.into_inner().valid_until.unwrap();
    let now = world.store.now().await.unwrap();
    assert!((until.seconds - now.seconds() - 90 * DAY).abs() < 120);
    let open = new_id::<Booking>();
    world.booking.requested(open, customer(1)).await;
    for booking_id in [open.to_string(), new_id::<Booking>().to_string(), String::new()] {
        let asked = CreateInvitationRequest { booking_id };
        let answer = world.internal("notifications").create_invitation(asked).await;
        assert_rejected(answer, Code::NotFound, "SESSION_NOT_COMPLETED", "");
    }
}

#[tokio::test]
async fn events_of_booking_that_come_again_change_nothing() {
    let world = World::new().await;
    world.session(customer(1)).await;
    assert!(world.submit_as(world.by(customer(1), review_request())).await.unwrap().verified);
    let rows = "select coalesce(sum(hashtext(s::text)::bigint), 0)::bigint from sessions s";
    let before = world.count(rows).await;
    for event in world.booking.events().await {
        let event = std::sync::Arc::new(event);
        world
            .store
            .write(eventstore::Metadata::by("test", None), move |tx| {
                let event = std::sync::Arc::clone(&event);
                Box::pin(async move { OnBooking.react(tx, &event).await })
            })
            .await
            .unwrap();
    }
    assert_eq!(world.count(rows).await, before);
    assert!(!signed_in_would_be(&world, customer(1)).await);
}

#[tokio::test]
async fn a_session_counts_from_when_booking_completed_it() {
    let world = World::new().await;
    world.booking.move_clock(-80 * DAY).await;
    let booking_id = world.session(customer(1)).await;
    let secret = invitation(&world, booking_id).await;
    assert!(invited_would_be(&world, &secret).await);
    world.move_clock(11 * DAY).await;
    assert!(!invited_would_be(&world, &secret).await);
    // The account still proves the session, because no review has used it.
    assert!(signed_in_would_be(&world, customer(1)).await);
}
