//! The variables of mails that are not about one booking: codes, messages, the guide, reviews,
//! and the daily sheet.

use contract::convert::timestamp;
use contract::identity::v1::{GetAccountNoticeResponse, GetCodeMailResponse};
use contract::reviews::v1::Review;
use jiff::civil::Date;
use kernel::Timestamp;
use serde_json::{Value, json};

use super::sanitize::{multi_line, one_line, query_encode, web_link};
use super::{Incomplete, TemplateContext, day};
use crate::mails::facts::{BookingFacts, Message};

/// The most stars that a review can have.
const STARS_MAX: i32 = 5;

impl TemplateContext {
    pub(super) fn of_code(&self, code: &GetCodeMailResponse) -> Value {
        json!({
            "customer": {
                "first_name": one_line(&code.first_name),
                "email": one_line(&code.email),
            },
            "code": {
                "code": one_line(&code.code),
                "valid_minutes": code.valid_minutes,
                "link": web_link(&code.link),
                "account": one_line(&code.account),
            },
        })
    }

    pub(super) fn of_notice(&self, notice: &GetAccountNoticeResponse) -> Result<Value, Incomplete> {
        let occurred_at =
            notice.occurred_at.as_ref().and_then(timestamp).ok_or(Incomplete("occurred_at"))?;
        Ok(json!({
            "customer": {
                "first_name": one_line(&notice.first_name),
                "email": one_line(&notice.email),
            },
            "notice": {
                "kind": notice.kind,
                "occurred_at_text": self.day_and_time(occurred_at),
                "device": one_line(&notice.device),
                "network": one_line(&notice.network),
                "subject": one_line(&notice.subject),
            },
            "links": { "account_url": format!("{}/account", self.public_url) },
        }))
    }

    pub(super) fn of_message(&self, message: &Message) -> Value {
        json!({
            "message": {
                "name": one_line(&message.name),
                "email": one_line(&message.email),
                "text": multi_line(&message.message),
                "received_at_text": self.day_and_time(message.received_at),
            },
        })
    }

    pub(super) fn of_guide(&self) -> Value {
        let guide = &self.guide;
        let steps: Vec<Value> = guide
            .steps
            .iter()
            .map(|step| {
                json!({
                    "title": step.title,
                    "minutes": step.minutes,
                    "paragraphs": step.paragraphs,
                })
            })
            .collect();
        json!({
            "guide": {
                "title": guide.title,
                "introduction": guide.introduction,
                "steps": steps,
                "closing": guide.closing,
                "minutes": guide.minutes(),
            },
            "links": { "guide_url": format!("{}/meditation-guide", self.public_url) },
        })
    }

    pub(super) fn of_review(&self, review: &Review) -> Value {
        let reviews_url = format!("{}/reviews", self.public_url);
        json!({
            "review": {
                "name": one_line(&review.name),
                "service": one_line(&review.service),
                "rating": review.rating.clamp(0, STARS_MAX),
                "text": multi_line(&review.text),
                "verified": review.verified,
            },
            "links": {
                "review_url": format!("{reviews_url}/{}", query_encode(&review.review_id)),
                "reviews_url": reviews_url,
            },
        })
    }

    pub(super) fn of_day(
        &self,
        date: Date,
        sessions: &[BookingFacts],
        now: Timestamp,
    ) -> Result<Value, Incomplete> {
        let nothing = json!({});
        let sessions: Result<Vec<Value>, Incomplete> =
            sessions.iter().map(|facts| self.of_booking(facts, &nothing, now)).collect();
        Ok(json!({
            "day": {
                "date_text": day(date),
                "sessions": sessions?,
                "has_several_practitioners": self.practice.has_several_practitioners(),
            },
        }))
    }
}
