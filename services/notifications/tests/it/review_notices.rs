//! The practice is notified of each new review.

use anyhow::Result;
use contract::convert::to_wire;
use contract::reviews::v1::{Review, ReviewDeleted, ReviewSubmitted, ReviewVerified};

use crate::world::{BEGIN, PRACTICE, World, new_id, text};

/// A review that reviews knows; its id.
fn written(world: &World, at: &str) -> String {
    let review_id = new_id::<kernel::id::Review>();
    let review = Review {
        review_id: review_id.clone(),
        name: "Ravi <b>\r\nBcc: eve@example.org".to_owned(),
        service: "Meditation".to_owned(),
        rating: 4,
        text: "It helped me.\nI will come again & again.".to_owned(),
        verified: true,
        user_generated: true,
        created_at: Some(to_wire(at.parse().unwrap())),
        image: None,
    };
    world.data.reviews.lock().unwrap().insert(review_id.clone(), review);
    review_id
}

fn submitted(review_id: &str) -> ReviewSubmitted {
    ReviewSubmitted {
        review_id: review_id.to_owned(),
        service: "Meditation".to_owned(),
        rating: 4,
        image_id: String::new(),
    }
}

#[tokio::test]
async fn a_new_review_is_mailed_once() -> Result<()> {
    let world = World::new().await?;
    let id = written(&world, BEGIN);
    world.append_event(submitted(&id)).await?;
    let verified = ReviewVerified { review_id: id.clone(), booking_id: String::new() };
    world.append_event(verified).await?;
    world.append_event(submitted(&id)).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(PRACTICE).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "A new review: 4 of 5 stars");
    let said = text(&mails[0], "text");
    assert!(said.contains("I will come again & again."), "{said}");
    assert!(said.contains(&format!("http://127.0.0.1:8080/reviews/{id}")), "{said}");
    assert!(text(&mails[0], "html").contains("Ravi &lt;b&gt; Bcc: eve@example.org"));
    assert_eq!(world.column("review_notice", "state").await?.as_deref(), Some("sent"));
    let kept = world.dump().await?;
    assert!(!kept.contains("Ravi") && !kept.contains("helped me"));
    world.end().await
}

#[tokio::test]
async fn a_deleted_review_is_not_mailed() -> Result<()> {
    let world = World::new().await?;
    let id = new_id::<kernel::id::Review>();
    world.append_event(submitted(&id)).await?;
    world.append_event(ReviewDeleted { review_id: id, deleted_by: String::new() }).await?;
    world.until_idle().await?;
    assert_eq!(world.column("review_notice", "state").await?.as_deref(), Some("dropped"));
    let reason = world.column("review_notice", "last_error").await?;
    assert_eq!(reason.as_deref(), Some("review_gone"));
    assert_eq!(world.inbox().await?.len(), 0);
    world.end().await
}

#[tokio::test]
async fn an_old_review_is_not_mailed() -> Result<()> {
    let world = World::new().await?;
    let old = written(&world, "2026-10-01T06:00:00Z");
    world.append_event(submitted(&old)).await?;
    world.until_idle().await?;
    assert_eq!(world.column("review_notice", "last_error").await?.as_deref(), Some("too_late"));
    assert_eq!(world.inbox().await?.len(), 0);
    world.end().await
}
