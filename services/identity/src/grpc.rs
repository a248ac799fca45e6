//! Calls of other services. The only module that uses these requests and responses.

use contract::identity::v1::identity_internal_service_server::{
    IdentityInternalService, IdentityInternalServiceServer,
};
use contract::identity::v1::{GetCodeMailRequest, GetCodeMailResponse};
use eventstore::StoreError;
use kernel::id::MailedCode;
use kernel::{Code, Id, Reject};
use messaging::FeedServer;
use runtime::caller::Peers;
use runtime::server::REQUEST_BYTES_MAX;
use runtime::status;
use serde_json::Value;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::repository::codes::{self, Purpose};
use crate::repository::users;
use crate::tokens::pkce;

/// Services that may read the mail of a code.
const MAIL_CALLERS: &[&str] = &["notifications"];
/// Services that may read this service's feed.
const READERS: &[&str] = &["notifications"];

/// All gRPC services of this process.
#[must_use]
pub fn routes(app: App, peers: &Peers) -> Routes {
    let feed = FeedServer::service(app.store.clone(), peers.clone(), READERS);
    let internal = IdentityInternalServiceServer::new(Internal { app, peers: peers.clone() });
    Routes::new(internal.max_decoding_message_size(REQUEST_BYTES_MAX)).add_service(feed)
}

/// Why a code's mail is not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Rejection {
    #[error("This is not the id of a code.")]
    Malformed,
    #[error("The code was used or replaced, or it has expired.")]
    NotFound,
}

impl Reject for Rejection {
    fn code(&self) -> Code {
        match self {
            Self::Malformed => Code::InvalidArgument,
            Self::NotFound => Code::NotFound,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Malformed => "CODE_ID_INVALID",
            Self::NotFound => "CODE_NOT_FOUND",
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some("code_id")
    }
}

struct Internal {
    app: App,
    peers: Peers,
}

#[tonic::async_trait]
impl IdentityInternalService for Internal {
    async fn get_code_mail(
        &self,
        request: Request<GetCodeMailRequest>,
    ) -> Result<Response<GetCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), MAIL_CALLERS)?;
        let code_id: Id<MailedCode> = request
            .get_ref()
            .code_id
            .parse()
            .map_err(|_malformed| status::reject(&Rejection::Malformed))?;
        let mail = self.code_mail(code_id).await.map_err(|error| status::unavailable(&error))?;
        mail.map(Response::new).ok_or_else(|| status::reject(&Rejection::NotFound))
    }
}

impl Internal {
    async fn code_mail(
        &self,
        code_id: Id<MailedCode>,
    ) -> Result<Option<GetCodeMailResponse>, StoreError> {
        let rows = self.app.store.pool();
        let Some(code) = codes::by_id(rows, code_id.uuid()).await? else { return Ok(None) };
        let Some(user) = users::by_id(rows, code.user_id).await? else { return Ok(None) };
        let redirect_to = code.redirect_to.as_deref();
        let token = self.app.codes.link_token(code.code_id);
        let flow = if code.flow_state_id.is_some() { pkce::PREFIX } else { "" };
        let token = format!("{flow}{token}");
        let purpose = Purpose::of_word(&code.purpose);
        let link_type = purpose.map_or("", Purpose::link_type);
        let first_name = user.user_metadata.get("firstName").and_then(Value::as_str);
        Ok(Some(GetCodeMailResponse {
            // A nonce is typed only.
            link: if purpose == Some(Purpose::Reauthentication) {
                String::new()
            } else {
                self.app.redirects.link(&token, link_type, redirect_to).to_string()
            },
            email: code.sent_to.or(user.email).unwrap_or_default(),
            first_name: first_name.unwrap_or_default().to_owned(),
            code: self.app.codes.digits(code.code_id),
            purpose: code.purpose,
            valid_minutes: codes::VALID_MINUTES,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::Rejection;
    use testkit::{dump, every_variant};

    #[test]
    fn rejections_reach_callers_like_this() {
        let all = every_variant!(Rejection: Malformed, NotFound);
        insta::assert_snapshot!("rejections", dump::rejections(&all));
    }
}
