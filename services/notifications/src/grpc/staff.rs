//! For the practice's staff, through the gateway: events that could not be taken in.

use contract::notifications::v1::notifications_staff_service_server::{
    NotificationsStaffService, NotificationsStaffServiceServer,
};
use contract::notifications::v1::{
    ListParkedEventsRequest, ListParkedEventsResponse, RetryParkedEventsRequest,
    RetryParkedEventsResponse,
};
use eventstore::{Act, StaffDoor};
use messaging::ParkedEvents;
use runtime::staff::Role;
use runtime::status::unavailable;
use tonic::{Request, Response, Status};

/// The staff's service.
#[derive(Debug)]
pub(super) struct Staff {
    door: StaffDoor,
    parked: ParkedEvents,
}

impl Staff {
    /// Serves what is parked to those whom the door lets in.
    pub(super) fn service(
        door: StaffDoor,
        parked: ParkedEvents,
    ) -> NotificationsStaffServiceServer<Self> {
        NotificationsStaffServiceServer::new(Self { door, parked })
    }
}

#[tonic::async_trait]
impl NotificationsStaffService for Staff {
    async fn list_parked_events(
        &self,
        request: Request<ListParkedEventsRequest>,
    ) -> Result<Response<ListParkedEventsResponse>, Status> {
        let act = Act { action: "ListParkedEvents", subject: "" };
        let staff = self.door.admit(request.metadata(), act, Role::MANAGERS).await?;
        self.door.looked(staff, act).await?;
        let events = self.parked.list().await.map_err(|error| unavailable(&error))?;
        Ok(Response::new(ListParkedEventsResponse { events }))
    }

    async fn retry_parked_events(
        &self,
        request: Request<RetryParkedEventsRequest>,
    ) -> Result<Response<RetryParkedEventsResponse>, Status> {
        let stream_id = request.get_ref().stream_id.clone();
        let act = Act { action: "RetryParkedEvents", subject: &stream_id };
        let staff = self.door.admit(request.metadata(), act, Role::MANAGERS).await?;
        // Each event is a transaction of its own, so the act is written down before the first.
        self.door.looked(staff, act).await?;
        let handled = self.parked.retry(&stream_id).await.map_err(|error| unavailable(&error))?;
        let events = self.parked.list().await.map_err(|error| unavailable(&error))?;
        let handled = i32::try_from(handled).unwrap_or(i32::MAX);
        Ok(Response::new(RetryParkedEventsResponse { handled, events }))
    }
}
