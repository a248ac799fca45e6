//! The page that leads a client to the sessions of a booking. A key lets a caller in who has no
//! account; a booking does not exist for an account that does not own it.

use std::sync::Arc;

use contract::booking::v1::join_page_service_server::JoinPageService;
use contract::booking::v1::{
    GetOwnJoinPageRequest, GetOwnJoinPageResponse, OpenJoinPageRequest, OpenJoinPageResponse,
};
use runtime::caller::Users;
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use super::ownership::record_booking_id;
use crate::app::App;
use crate::app::join_page::{client_page, own_page};

/// The handler of the page's service.
#[derive(Debug, Clone)]
pub struct JoinPageHandler {
    app: Arc<App>,
    users: Users,
}

impl JoinPageHandler {
    /// A handler for calls with a key, and of signed-in users.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }
}

#[tonic::async_trait]
impl JoinPageService for JoinPageHandler {
    async fn open_join_page(
        &self,
        request: Request<OpenJoinPageRequest>,
    ) -> Result<Response<OpenJoinPageResponse>, Status> {
        let page = client_page(&self.app, &request.get_ref().join_key).await;
        let page = page.map_err(|error| to_status(&error))?;
        if let Ok(id) = page.booking_id.parse() {
            record_booking_id(id);
        }
        Ok(Response::new(OpenJoinPageResponse { page: Some(page) }))
    }

    async fn get_own_join_page(
        &self,
        request: Request<GetOwnJoinPageRequest>,
    ) -> Result<Response<GetOwnJoinPageResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let page = own_page(&self.app, &request.get_ref().booking_id, user.customer).await;
        let page = page.map_err(|error| to_status(&error))?;
        Ok(Response::new(GetOwnJoinPageResponse { page: Some(page) }))
    }
}
