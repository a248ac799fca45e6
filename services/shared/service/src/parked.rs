//! The two calls about parked events, which the staff service of each service with consumers has.

use contract::common::v1::ParkedEvent;
use eventstore::{Act, StaffAuthorizer};
use messaging::ParkedEvents;
use runtime::status::unavailable;
use staff::Role;
use tonic::Status;
use tonic::metadata::MetadataMap;

/// Answers them to managers, and records each in the audit log.
#[derive(Debug, Clone)]
pub struct ParkedHandler {
    authorizer: StaffAuthorizer,
    parked: ParkedEvents,
}

impl ParkedHandler {
    /// Answers managers whom the authorizer admits.
    #[must_use]
    pub fn new(authorizer: StaffAuthorizer, parked: ParkedEvents) -> Self {
        Self { authorizer, parked }
    }

    /// `ListParkedEvents`: all that are parked, oldest first.
    pub async fn list(&self, metadata: &MetadataMap) -> Result<Vec<ParkedEvent>, Status> {
        self.authorize(metadata, Act { action: "ListParkedEvents", subject: "" }).await?;
        self.parked.list().await.map_err(|error| unavailable(&error))
    }

    /// `RetryParkedEvents`: how many of a stream, or of all, were handled, and what stays parked.
    pub async fn retry(
        &self,
        metadata: &MetadataMap,
        stream_id: &str,
    ) -> Result<(i32, Vec<ParkedEvent>), Status> {
        // Each event is a transaction of its own, so the call is recorded before the first. The
        // audit log keeps only a well-formed id.
        self.authorize(metadata, Act { action: "RetryParkedEvents", subject: stream_id }).await?;
        let handled = self.parked.retry(stream_id).await.map_err(|error| unavailable(&error))?;
        let events = self.parked.list().await.map_err(|error| unavailable(&error))?;
        Ok((i32::try_from(handled).unwrap_or(i32::MAX), events))
    }

    async fn authorize(&self, metadata: &MetadataMap, act: Act<'_>) -> Result<(), Status> {
        let staff = self.authorizer.authorize(metadata, act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await
    }
}
