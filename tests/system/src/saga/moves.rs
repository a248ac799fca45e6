//! A session that is moved in a saga: by its client, and then by the practice.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::staff::BOOKINGS;
use super::{CounterGuard, RunningSaga};
use crate::customer::Answer;

/// How many times are tried that others may take meanwhile.
const TRIES: usize = 6;

impl RunningSaga<'_, '_> {
    /// Moves the session twice. Money that went back because the time was taken leaves nothing to
    /// move, and the clocks may have been moved beyond what its client may do.
    pub(super) async fn relocate(&self) -> Result<()> {
        self.wait_until_placed_or_refunded().await?;
        self.ask_for_another_time().await?;
        for who in ["client", "practice"] {
            self.relocate_by(who).await.context(who)?;
        }
        Ok(())
    }

    /// The practice asks for another time, takes that back, and asks once more: the client's own
    /// move is the answer. By now the session may have begun.
    async fn ask_for_another_time(&self) -> Result<()> {
        for (method, attempt) in
            [("ProposeMove", 1), ("WithdrawMoveProposal", 1), ("ProposeMove", 2)]
        {
            let mut body = self.request_body(&format!("{method}-{attempt}"));
            if method == "ProposeMove" {
                body["shownStartsAt"] = self.session_start().await?;
                body["reason"] = json!("the practitioner is ill");
                body["opensAgain"] = json!(attempt == 1);
            }
            self.runner.call_staff(BOOKINGS, method, body).await?;
        }
        Ok(())
    }

    async fn relocate_by(&self, who: &str) -> Result<()> {
        let free = self.customer.free_starts(self.service).await?;
        for (attempt, to) in free.iter().rev().step_by(3).take(TRIES).enumerate() {
            let shown = self.session_start().await?;
            let mut body = self.request_body(&format!("move-{who}-{attempt}"));
            body["shownStartsAt"] = shown;
            body["startsAt"] = json!(to);
            let answer = self.ask_to_move(who, body).await?;
            if answer.status == 200 {
                return self.until_it_starts(to).await;
            }
        }
        Ok(())
    }

    async fn ask_to_move(&self, who: &str, mut body: Value) -> Result<Answer> {
        if who == "client" {
            return self.customer.call("booking.v1.BookingService/MoveOwnBooking", body).await;
        }
        body["movedBy"] = json!("MOVED_BY_PRACTICE");
        body["reason"] = json!("the room is not free");
        self.runner.call_staff(BOOKINGS, "MoveBooking", body).await
    }

    async fn session_start(&self) -> Result<Value> {
        let booking = self.customer.booking(&self.booking_id).await?;
        Ok(booking["sessions"][0]["startsAt"].clone())
    }

    async fn until_it_starts(&self, at: &str) -> Result<()> {
        let _waiting = CounterGuard::new(&self.runner.waiting_for_outcome);
        testkit::until_within(super::TIMEOUT, "it has its new time", async || {
            Ok((self.session_start().await? == *at).then_some(()))
        })
        .await
    }
}
