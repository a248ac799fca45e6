//! A member of the practice in a saga: invited twice by mail, and then withdrawn, declined, or
//! joined, changed and removed.

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use super::{CounterGuard, SagaRunner};
use crate::customer::Customer;
use crate::mails::plain_text;

const MEMBERS: &str = "booking.v1.OrganisationStaffService";
const OWN: &str = "booking.v1.OrganisationService";

impl SagaRunner<'_> {
    /// One invitation to its end. What the moving clocks make too late is left as it is.
    pub(super) async fn invite(&self, number: u64) -> Result<()> {
        let invited = Customer::with_issued_token(self.practice, &self.issuer, "Member")?;
        let body = json!({
            "idempotencyKey": format!("invite-{number}-{}", invited.email),
            "email": invited.email, "role": "STAFF_ROLE_FRONT_DESK",
        });
        let answer = self.call_staff(MEMBERS, "InviteMember", body).await?;
        let id = answer.body["invitation"]["invitationId"].as_str();
        // The practice may have sent as many as it may within a day.
        let Some(id) = id else { return Ok(()) };
        let body = json!({ "idempotencyKey": format!("resend-{id}"), "invitationId": id });
        self.call_staff(MEMBERS, "ResendInvitation", body).await?;
        if number.is_multiple_of(3) {
            let body = json!({ "invitationId": id });
            self.call_staff(MEMBERS, "WithdrawInvitation", body).await?;
            return Ok(());
        }
        let key = self.key_of_mail(&format!("{id}/2")).await?;
        let method = if number % 3 == 1 { "DeclineInvitation" } else { "AcceptInvitation" };
        let answered = invited.call(&format!("{OWN}/{method}"), json!({ "key": key })).await?;
        if answered.status != 200 || number % 3 == 1 {
            return Ok(());
        }
        invited.call(&format!("{OWN}/ListMyMemberships"), json!({})).await?.ok()?;
        let person = format!("usr_{}", invited.user_id()?.simple());
        let body = json!({ "userId": person, "role": "STAFF_ROLE_ADMIN" });
        self.call_staff(MEMBERS, "ChangeRole", body).await?.ok()?;
        let body = json!({ "userId": person });
        self.call_staff(MEMBERS, "RemoveMember", body).await?.ok()?;
        let left = invited.call(&format!("{OWN}/LeavePractice"), json!({})).await?;
        ensure!(left.reason() == "STAFF_ONLY", "a removed member still was one");
        Ok(())
    }

    /// The key in the link of an invitation's mail.
    async fn key_of_mail(&self, subject: &str) -> Result<String> {
        let _waiting = CounterGuard::new(&self.waiting_for_outcome);
        let mail = testkit::until_within(super::TIMEOUT, "the invitation came", async || {
            Ok(self.practice.mails_of("staff_invitation", subject).await?.into_iter().next())
        })
        .await?;
        let text = plain_text(&mail);
        let (_, rest) = text.split_once("/invitations#key=").context("no link")?;
        Ok(rest.chars().take_while(|it| it.is_ascii_alphanumeric() || "-_".contains(*it)).collect())
    }
}
