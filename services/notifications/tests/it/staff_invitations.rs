//! The mail of an invitation to the practice's staff.

use anyhow::Result;
use contract::booking::v1::{GetStaffInvitationResponse, StaffInvitationMailRequested};
use contract::convert::to_wire;
use eventstore::new_id;
use kernel::Timestamp;
use kernel::id::StaffInvitation;
use serde_json::Value;

use crate::world::{World, text};

const KEY: &str = "hJ4u0Yt2cQk8rVb1nWm7xZp5sLd9gFa3eTi6oUy_KwQ";
const INVITED: &str = "priya@practice.example";

fn invited(world: &World) -> Result<String> {
    let id = new_id::<StaffInvitation>().to_string();
    let expires_at: Timestamp = "2026-11-23T12:30:00Z".parse()?;
    let invitation = GetStaffInvitationResponse {
        email: INVITED.to_owned(),
        role: "front_desk".to_owned(),
        invited_by: "meera@practice.example".to_owned(),
        key: KEY.to_owned(),
        expires_at: Some(to_wire(expires_at)),
    };
    world.data.invitations.lock().unwrap().insert(id.clone(), invitation);
    Ok(id)
}

#[tokio::test]
async fn each_request_is_one_mail_and_its_key_stands_in_a_fragment() -> Result<()> {
    let world = World::new().await?;
    let invitation_id = invited(&world)?;
    let first =
        StaffInvitationMailRequested { invitation_id: invitation_id.clone(), mail_number: 1 };
    world.append_event(first.clone()).await?;
    world.append_event(first).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(INVITED).await?;
    assert_eq!(mails.len(), 1);
    let link = format!("http://127.0.0.1:8080/invitations#key={KEY}");
    for form in ["text", "html"] {
        let written = text(&mails[0], form);
        assert!(written.contains(&link), "{form}");
        for told in ["front desk", "meera@practice.example", "Monday 23 November 2026, 6:00 pm IST"]
        {
            assert!(written.contains(told), "{form}: {told}");
        }
    }
    world.append_event(StaffInvitationMailRequested { invitation_id, mail_number: 2 }).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox_of(INVITED).await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn an_invitation_that_has_ended_is_not_mailed() -> Result<()> {
    let world = World::new().await?;
    let invitation_id = new_id::<StaffInvitation>().to_string();
    world.append_event(StaffInvitationMailRequested { invitation_id, mail_number: 1 }).await?;
    world.until_idle().await?;
    assert_eq!(world.column("staff_invitation", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.inbox().await?, Vec::<Value>::new());
    world.end().await
}
