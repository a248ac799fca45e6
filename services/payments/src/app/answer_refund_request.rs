//! Staff answer a client's request for a refund, once: with money, which goes back as by
//! `refund_payment` and in the same transaction, or without.

use eventstore::{Act, IdempotencyKey, Tx, id_of};
use kernel::Id;
use kernel::id::{Refund as RefundKind, RefundRequest as RefundRequestKind};
use kernel::typed::Text;
use staff::Staff;

use super::refund_payment::request;
use super::{App, metadata, traced};
use crate::contract::refund_request as wire;
use crate::domain::fact::Amount;
use crate::domain::refund_request::{RefundRequest, RequestState};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query::{self, RefundRow};
use crate::repository::LockedCollection;
use crate::repository::refund_requests::{self, NewAnswer};

/// The name of this act in the audit log.
pub const ACTION: &str = "AnswerRefundRequest";

/// How long an answer is.
const ANSWER_CHARS: std::ops::RangeInclusive<usize> = 3..=1_000;

/// What staff answer.
#[derive(Clone)]
pub struct Answer {
    /// The request.
    pub request_id: Id<RefundRequestKind>,
    /// What goes back, if anything.
    pub amount: Option<Amount>,
    /// What the client reads.
    pub text: Text,
}

/// A request as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// As it stands.
    pub request: RefundRequest,
    /// Whether its money is given back at the practice's desk.
    pub is_at_desk: bool,
}

/// Reads a request's id; what is none is the id of no request.
///
/// # Errors
/// `RefundRequestNotFound`.
pub fn parse_request(text: &str) -> Result<Id<RefundRequestKind>, Error> {
    text.parse().map_err(|_malformed| refuse(Rejection::RefundRequestNotFound))
}

/// Reads what the client is to read.
///
/// # Errors
/// `InvalidAnswer`.
pub fn parse_answer(typed: &str) -> Result<Text, Error> {
    let text = Text::parse(typed, *ANSWER_CHARS.end()).ok();
    let fits = |text: &Text| ANSWER_CHARS.contains(&text.as_str().chars().count());
    text.filter(fits).ok_or(refuse(Rejection::InvalidAnswer))
}

/// A request by its id, answered or not.
///
/// # Errors
/// `RefundRequestNotFound`, or that the database does not answer.
pub async fn get_request(app: &App, request_id: Id<RefundRequestKind>) -> Result<Answered, Error> {
    let found = refund_requests::find(app.store.pool(), request_id).await?;
    let request = found.ok_or(refuse(Rejection::RefundRequestNotFound))?;
    let refund = query::refund(app.store.pool(), refund_of(request_id)).await?;
    Ok(Answered { request, is_at_desk: is_at_desk(refund.as_ref()) })
}

/// Stores an answer, and requests the refund of a granted one.
///
/// # Errors
/// `RefundRequestNotFound`, `AlreadyAnswered`, `IdempotencyKeyReused`, or as
/// [`super::refund_payment::refund_payment`].
pub async fn answer_refund_request(
    app: &App,
    staff: Staff,
    answer: Answer,
    key: &IdempotencyKey,
) -> Result<Answered, Error> {
    let booking_id = get_request(app, answer.request_id).await?.request.booking_id;
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (actor, key) = (staff.id.to_string(), key.clone());
    let (least_minor, days) = (app.provider.least_refund_minor(), app.refund_days);
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        let (key, Answer { request_id, amount, text }) = (key.clone(), answer.clone());
        Box::pin(async move {
            let subject = request_id.to_string();
            tx.audit(staff, Act { action: ACTION, subject: &subject }).await?;
            let is_repeat = key.answer(tx).await?.is_some();
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            let asked = refund_requests::find(tx.connection(), request_id).await?;
            let asked = asked.ok_or(refuse(Rejection::RefundRequestNotFound))?;
            if is_repeat {
                return answered(tx, asked).await;
            }
            if asked.state != RequestState::Open {
                return Err(refuse(Rejection::AlreadyAnswered));
            }
            // Before its refund, whose mail comes after that of the answer.
            let told = RefundRequest { amount: amount.clone(), ..asked };
            tx.append(&wire::stream(request_id), 1, &[wire::answered(&told)?]).await?;
            if let Some(amount) = amount.clone() {
                let refund_id = refund_of(request_id);
                request(tx, &mut locked, refund_id, (Some(amount), least_minor)).await?;
            }
            let (by, at, text) = (staff.id, locked.now, text.into_string());
            let close_by = asked.deadlines.back_by(at, days);
            let new = NewAnswer { amount, text, by, at, close_by };
            let request = refund_requests::answer(tx, request_id, &new).await?;
            key.store(tx, request_id).await?;
            answered(tx, request).await
        })
    });
    traced("answer refund request", booking_id, trace.as_deref(), work).await
}

/// The refund of a request is derived from it, so that it is never another one.
#[must_use]
pub fn refund_of(request_id: Id<RefundRequestKind>) -> Id<RefundKind> {
    id_of(&["refund of", &request_id.to_string()])
}

async fn answered(tx: &mut Tx, request: RefundRequest) -> Result<Answered, Error> {
    let refund = query::refund(tx.connection(), refund_of(request.request_id)).await?;
    Ok(Answered { request, is_at_desk: is_at_desk(refund.as_ref()) })
}

fn is_at_desk(refund: Option<&RefundRow>) -> bool {
    refund.is_some_and(|refund| contract::desk::way_of(refund.payment.as_str()).is_some())
}
