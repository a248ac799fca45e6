//! The outcome of an act of staff; a rejection is recorded in the audit log first.

use eventstore::{Act, StaffAuthorizer};
use staff::Staff;
use tonic::Status;

use crate::error::Error;

pub(super) async fn audited<T>(
    authorizer: &StaffAuthorizer,
    staff: Staff,
    act: Act<'_>,
    outcome: Result<T, Error>,
) -> Result<T, Status> {
    match outcome {
        Ok(done) => Ok(done),
        Err(error) => Err(authorizer.audit_rejection(staff, act, &error).await),
    }
}
