//! The service of the widget on other sites: reports of bookings that began in it.

use std::sync::Arc;

use contract::booking::v1::widget_service_server::WidgetService;
use contract::booking::v1::{
    GetReportRequest, GetReportResponse, ReportBookingRequest, ReportBookingResponse,
    ReportState as WireState,
};
use runtime::caller::Users;
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::app::widget_report::{report_booking, report_state};
use crate::domain::report::ReportState;

/// The handler of the service.
#[derive(Debug, Clone)]
pub struct WidgetHandler {
    app: Arc<App>,
    users: Users,
}

impl WidgetHandler {
    /// A handler for calls of signed-in users, and of callers that know a report's id.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }
}

fn wire_state(state: ReportState) -> WireState {
    match state {
        ReportState::Waiting => WireState::Waiting,
        ReportState::Held => WireState::Held,
        ReportState::Confirmed => WireState::Confirmed,
        ReportState::Cancelled => WireState::Cancelled,
        ReportState::Expired => WireState::Expired,
    }
}

#[tonic::async_trait]
impl WidgetService for WidgetHandler {
    async fn report_booking(
        &self,
        request: Request<ReportBookingRequest>,
    ) -> Result<Response<ReportBookingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        report_booking(&self.app, user.customer, request.into_inner())
            .await
            .map_err(|error| to_status(&error))?;
        Ok(Response::new(ReportBookingResponse {}))
    }

    async fn get_report(
        &self,
        request: Request<GetReportRequest>,
    ) -> Result<Response<GetReportResponse>, Status> {
        let state = report_state(&self.app, &request.get_ref().report_id).await;
        let state = wire_state(state.map_err(|error| to_status(&error))?).into();
        Ok(Response::new(GetReportResponse { state }))
    }
}
