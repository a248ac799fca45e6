//! A time that is held for a client on the wait list is mailed once, and not once it is gone.

use anyhow::Result;
use contract::booking::v1::{GetWaitingOfferResponse, WaitingTimeOffered};
use contract::convert::to_wire;
use kernel::Timestamp;
use kernel::id::{Block, Waiting};

use crate::world::{World, new_id, text};

const CUSTOMER: &str = "asha@example.org";
const STARTS_AT: &str = "2026-11-22T22:00:00Z";

/// A time is held for a client on the wait list.
pub(crate) async fn time_is_offered(world: &World, email: &str) -> Result<()> {
    let (offer_id, waiting_id) = (new_id::<Block>(), new_id::<Waiting>());
    let at = |text: &str| Ok::<_, anyhow::Error>(Some(to_wire(text.parse::<Timestamp>()?)));
    let offer = GetWaitingOfferResponse {
        email: email.to_owned(),
        first_name: "Asha".to_owned(),
        service_title: "Meditation".to_owned(),
        starts_at: at(STARTS_AT)?,
        held_until_at: at(STARTS_AT)?,
        ..GetWaitingOfferResponse::default()
    };
    world.data.offers.lock().unwrap().insert(offer_id.clone(), offer);
    world.append_event(WaitingTimeOffered { waiting_id, offer_id }).await?;
    Ok(())
}

#[tokio::test]
async fn each_offer_is_one_mail_while_its_time_is_held() -> Result<()> {
    let world = World::new().await?;
    time_is_offered(&world, CUSTOMER).await?;
    // Of this one booking says that it is not held any more.
    let (waiting_id, offer_id) = (new_id::<Waiting>(), new_id::<Block>());
    for _ in 0..2 {
        let (waiting_id, offer_id) = (waiting_id.clone(), offer_id.clone());
        world.append_event(WaitingTimeOffered { waiting_id, offer_id }).await?;
    }
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert_eq!(text(&mails[0], "subject"), "A time is free: Monday 23 November 2026, 3:30 am IST");
    for form in ["text", "html"] {
        let words = text(&mails[0], form);
        assert!(words.contains("Dear Asha") && words.contains("/account/waiting"), "{words}");
    }
    let sql = "select state from mails where kind = 'waiting_offer' order by state";
    let states: Vec<String> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    assert_eq!(states, ["dropped", "sent"]);
    world.end().await
}
