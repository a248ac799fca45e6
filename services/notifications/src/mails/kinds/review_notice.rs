//! The practice's notice of a new review.

use contract::convert::timestamp;
use contract::reviews::v1::{Review, ReviewSubmitted};
use eventstore::Recorded;
use kernel::id::Review as ReviewId;
use messaging::ReactionError;
use serde_json::json;

use crate::delivery::sources::{Sources, subject};
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::planning::{Due, Plan, TOO_LATE, is_stale};
use crate::templates::render::samples::{Form, Typed};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    plan,
    samples,
    ..Declaration::TO_PRACTICE
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<ReviewSubmitted>()? else { return Ok(None) };
    id::<ReviewId>(&e.review_id)?;
    Ok(Some(NewMail::about(Kind::ReviewNotice, e.review_id, About::Subject)))
}

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    sources.clients().review(subject(mail)?).await
}

fn plan(due: &Due<'_>) -> Plan {
    let Facts::Review(review) = due.facts else { return Plan::Send };
    let written = review.created_at.as_ref().and_then(timestamp);
    if written.is_some_and(|at| is_stale(at, due.now)) { Plan::Drop(TOO_LATE) } else { Plan::Send }
}

fn samples(typed: &Typed) -> Vec<Form> {
    vec![
        ("verified", Facts::Review(review(typed, 5, true)), json!({})),
        ("of_any_visitor", Facts::Review(review(typed, 3, false)), json!({})),
    ]
}

fn review(typed: &Typed, rating: i32, verified: bool) -> Review {
    Review {
        review_id: "rvw_01934000000070008000000000000007".to_owned(),
        name: typed.name.clone(),
        service: typed.service_title.clone(),
        rating,
        text: typed.text.clone(),
        verified,
        user_generated: true,
        ..Review::default()
    }
}
