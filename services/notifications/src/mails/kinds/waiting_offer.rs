//! A time that became free is held for a client on the wait list.

use std::sync::Arc;

use contract::booking::v1::{
    GetWaitingOfferRequest, GetWaitingOfferResponse, SessionMode, WaitingTimeOffered,
};
use contract::convert::{self, timestamp};
use eventstore::Recorded;
use kernel::id::Block;
use kernel::{Id, Timestamp};
use messaging::ReactionError;
use serde_json::{Value, json};

use crate::clients::facts_error;
use crate::delivery::sources::{Sources, malformed};
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{Facts, FactsError, Incomplete, Particulars, Wording};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, Typed};
use crate::templates::template_context::one_line;

/// It was taken or declined, or is not held any more.
const GONE: &str = "offer_gone";

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    believes: |reason| reason == GONE,
    samples,
    ..Declaration::TO_CLIENT
};

/// Each offer once.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<WaitingTimeOffered>()? else { return Ok(None) };
    let offer: Id<Block> = id(&e.offer_id)?;
    Ok(Some(NewMail::about(Kind::WaitingOffer, offer.to_string(), About::Subject)))
}

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let id: Id<Block> = mail.subject.parse().map_err(malformed)?;
    let request = GetWaitingOfferRequest { offer_id: id.to_string() };
    let answered = sources.clients().booking_service().get_waiting_offer(request).await;
    answered
        .map(|answer| Facts::Own(Arc::new(answer.into_inner())))
        .map_err(|status| facts_error(status, GONE, "booking_unavailable"))
}

impl Particulars for GetWaitingOfferResponse {
    fn address(&self) -> &str {
        &self.email
    }

    fn variables(&self, wording: &dyn Wording) -> Result<Value, Incomplete> {
        let starts_at = self.starts_at.as_ref().and_then(timestamp);
        let starts_at = starts_at.ok_or(Incomplete("starts_at"))?;
        let held_until = self.held_until_at.as_ref().and_then(timestamp);
        let held_until = held_until.ok_or(Incomplete("held_until_at"))?;
        let earlier_than = self.earlier_than_at.as_ref().and_then(timestamp);
        Ok(json!({
            "customer": {
                "first_name": one_line(&self.first_name),
                "email": one_line(&self.email),
            },
            "waiting_offer": {
                "service_title": one_line(&self.service_title),
                "practitioner_name": one_line(&self.practitioner_name),
                "starts_at_text": wording.day_and_time(starts_at),
                "held_until_text": wording.day_and_time(held_until),
                "earlier_than_text":
                    earlier_than.map(|at| wording.day_and_time(at)).unwrap_or_default(),
                "is_online": self.mode() == SessionMode::Online,
                "link": format!("{}/account/waiting", wording.public_url()),
            },
        }))
    }
}

fn samples(typed: &Typed) -> Vec<Form> {
    let form = |name, earlier_than: Option<Timestamp>| {
        let facts = Facts::Own(Arc::new(GetWaitingOfferResponse {
            email: "asha@example.org".to_owned(),
            first_name: typed.first_name.to_owned(),
            service_title: "Individual Counselling".to_owned(),
            practitioner_name: "Meera Joshi".to_owned(),
            mode: SessionMode::Online.into(),
            starts_at: Some(convert::to_wire(at(0))),
            ends_at: Some(convert::to_wire(at(HOUR))),
            held_until_at: Some(convert::to_wire(at(-24 * HOUR))),
            time_zone: "Asia/Kolkata".to_owned(),
            earlier_than_at: earlier_than.map(convert::to_wire),
        }));
        (name, facts, json!({}))
    };
    vec![form("usual", None), form("earlier", Some(at(72 * HOUR)))]
}
