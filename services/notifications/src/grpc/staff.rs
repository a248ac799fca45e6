//! The gRPC service for staff, called through the gateway: mails with their states, and parked
//! events (dead letters). Every call is audited with its caller.

use contract::convert::to_wire;
use contract::notifications::v1::notifications_staff_service_server::{
    NotificationsStaffService, NotificationsStaffServiceServer,
};
use contract::notifications::v1::{
    Delivery, DeliveryCount, ListMailsRequest, ListMailsResponse, ListParkedEventsRequest,
    ListParkedEventsResponse, RetryMailRequest, RetryMailResponse, RetryParkedEventsRequest,
    RetryParkedEventsResponse, SettleMailRequest, SettleMailResponse,
};
use eventstore::{Act, Metadata, StaffAuthorizer, Store};
use futures::future::BoxFuture;
use kernel::CommandError;
use messaging::ParkedEvents;
use runtime::status::{invalid, unavailable};
use service::ParkedHandler;
use staff::{Role, Staff as Member};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::mails::mail::{MailId, State};
use crate::repository::{self, Cursor, Filter, MailSummary, Unchanged};

/// The most mails of a page.
const PAGE_MAX: i32 = 100;
/// The page size when the request has none.
const PAGE_DEFAULT: i32 = 50;

/// The staff service.
#[derive(Debug)]
pub(super) struct StaffHandler {
    store: Store,
    authorizer: StaffAuthorizer,
    parked: ParkedHandler,
}

kernel::rejections! {
    /// Why a mail was left as it is.
    enum Rejection {
        Unknown: NotFound "MAIL_UNKNOWN" @ "mail_id", "There is no such mail.";
        Over: FailedPrecondition "MAIL_IS_OVER" @ "mail_id",
            "This mail is over, so it is not sent again.";
        NotFailed: FailedPrecondition "MAIL_NOT_FAILED" @ "mail_id",
            "This mail did not fail, so there is nothing to settle.";
    }
}

/// A change of a mail by staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Retry,
    Settle,
}

impl Change {
    const fn action(self) -> &'static str {
        match self {
            Self::Retry => "RetryMail",
            Self::Settle => "SettleMail",
        }
    }

    fn refuse(self, unchanged: Unchanged) -> CommandError<Rejection> {
        CommandError::Rejected(match (unchanged, self) {
            (Unchanged::Unknown, _) => Rejection::Unknown,
            (Unchanged::NotNow, Self::Retry) => Rejection::Over,
            (Unchanged::NotNow, Self::Settle) => Rejection::NotFailed,
        })
    }
}

impl StaffHandler {
    /// Serves mails and parked events to authorized staff.
    pub(super) fn service(
        store: Store,
        authorizer: StaffAuthorizer,
        parked: ParkedEvents,
    ) -> NotificationsStaffServiceServer<Self> {
        let parked = ParkedHandler::new(authorizer.clone(), parked);
        NotificationsStaffServiceServer::new(Self { store, authorizer, parked })
    }

    /// Authorizes a read by managers, and audits it.
    async fn authorize_read(&self, metadata: &MetadataMap, act: Act<'_>) -> Result<(), Status> {
        let staff = self.authorizer.authorize(metadata, act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await
    }

    /// Changes a mail for managers, in one transaction with the audit entry.
    async fn change(
        &self,
        metadata: &MetadataMap,
        mail_id: &str,
        change: Change,
    ) -> Result<Delivery, Status> {
        let act = Act { action: change.action(), subject: mail_id };
        let staff = self.authorizer.authorize(metadata, act, Role::MANAGERS).await?;
        let done = match mail_id.parse() {
            Ok(id) => self.write(staff, id, change).await,
            Err(_malformed) => Err(change.refuse(Unchanged::Unknown)),
        };
        match done {
            Ok(mail) => Ok(to_wire_mail(mail)),
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn write(
        &self,
        staff: Member,
        id: MailId,
        change: Change,
    ) -> Result<MailSummary, CommandError<Rejection>> {
        let metadata = Metadata::traced(staff.id.to_string());
        self.store
            .write(
                metadata,
                move |tx| -> BoxFuture<'_, Result<MailSummary, CommandError<Rejection>>> {
                    Box::pin(async move {
                        let changed = match change {
                            Change::Retry => repository::retry_now(tx, id).await?,
                            Change::Settle => repository::settle(tx, id).await?,
                        };
                        let mail = changed.map_err(|unchanged| change.refuse(unchanged))?;
                        let subject = id.to_string();
                        tx.audit(staff, Act { action: change.action(), subject: &subject }).await?;
                        Ok(mail)
                    })
                },
            )
            .await
    }

    async fn page(
        &self,
        filter: Filter,
        after: Option<Cursor>,
        size: usize,
    ) -> Result<ListMailsResponse, Status> {
        // One row more than the page shows whether another page follows.
        let limit = i64::try_from(size).unwrap_or(i64::MAX).saturating_add(1);
        let pool = self.store.pool();
        let read = repository::list(pool, filter, after, limit).await;
        let mut mails = read.map_err(|error| unavailable(&error))?;
        let counts = repository::counts(pool, filter.booking).await;
        let counts = counts.map_err(|error| unavailable(&error))?;
        let more = mails.len() > size;
        mails.truncate(size);
        let next = mails.last().filter(|_| more).map(|last| Cursor::of(last).token(filter));
        let to_wire_count =
            |(state, mails): (State, i64)| DeliveryCount { state: state.wire().into(), mails };
        Ok(ListMailsResponse {
            mails: mails.into_iter().map(to_wire_mail).collect(),
            next_page_token: next.unwrap_or_default(),
            counts: counts.into_iter().map(to_wire_count).collect(),
        })
    }
}

fn to_wire_mail(mail: MailSummary) -> Delivery {
    Delivery {
        mail_id: mail.id.to_string(),
        kind: mail.kind.wire().into(),
        state: mail.state.wire().into(),
        booking_id: mail.booking.map(|id| id.to_string()).unwrap_or_default(),
        subject: mail.subject,
        attempts: mail.attempts,
        reason: mail.reason.unwrap_or_default(),
        queued_at: Some(to_wire(mail.queued_at)),
        due_at: (!mail.state.is_over()).then(|| to_wire(mail.due_at)),
        sent_at: mail.sent_at.map(to_wire),
        message_id: mail.message_id.unwrap_or_default(),
    }
}

/// The filter and the cursor of a request.
fn asked_for(asked: &ListMailsRequest) -> Result<(Filter, Option<Cursor>), Status> {
    let booking = match asked.booking_id.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_malformed| {
            invalid("booking_id", "INVALID_BOOKING_ID", "This is not the id of a booking.")
        })?),
    };
    let filter = Filter { state: State::of_wire(asked.state()), booking };
    let after = match asked.page_token.as_str() {
        "" => None,
        token => Some(Cursor::read(filter, token).ok_or_else(|| {
            invalid("page_token", "INVALID_PAGE_TOKEN", "This page of mails cannot be found.")
        })?),
    };
    Ok((filter, after))
}

fn page_size(asked: i32) -> usize {
    let size = if asked <= 0 { PAGE_DEFAULT } else { asked.min(PAGE_MAX) };
    usize::try_from(size).unwrap_or_default()
}

#[tonic::async_trait]
impl NotificationsStaffService for StaffHandler {
    async fn list_mails(
        &self,
        request: Request<ListMailsRequest>,
    ) -> Result<Response<ListMailsResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: "ListMails", subject: &asked.booking_id };
        self.authorize_read(&metadata, act).await?;
        let (filter, after) = asked_for(&asked)?;
        Ok(Response::new(self.page(filter, after, page_size(asked.page_size)).await?))
    }

    async fn retry_mail(
        &self,
        request: Request<RetryMailRequest>,
    ) -> Result<Response<RetryMailResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let mail = self.change(&metadata, &asked.mail_id, Change::Retry).await?;
        Ok(Response::new(RetryMailResponse { mail: Some(mail) }))
    }

    async fn settle_mail(
        &self,
        request: Request<SettleMailRequest>,
    ) -> Result<Response<SettleMailResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let mail = self.change(&metadata, &asked.mail_id, Change::Settle).await?;
        Ok(Response::new(SettleMailResponse { mail: Some(mail) }))
    }

    async fn list_parked_events(
        &self,
        request: Request<ListParkedEventsRequest>,
    ) -> Result<Response<ListParkedEventsResponse>, Status> {
        let events = self.parked.list(request.metadata()).await?;
        Ok(Response::new(ListParkedEventsResponse { events }))
    }

    async fn retry_parked_events(
        &self,
        request: Request<RetryParkedEventsRequest>,
    ) -> Result<Response<RetryParkedEventsResponse>, Status> {
        let (metadata, _extensions, asked) = request.into_parts();
        let (handled, events) = self.parked.retry(&metadata, &asked.stream_id).await?;
        Ok(Response::new(RetryParkedEventsResponse { handled, events }))
    }
}

#[cfg(test)]
mod tests {
    use super::Rejection;
    use testkit::{dump, every_variant};

    #[test]
    fn rejections_reach_callers_like_this() {
        let all = every_variant!(Rejection: Unknown, Over, NotFailed);
        insta::assert_snapshot!("rejections", dump::rejections(&all));
    }
}
