//! Calls of other services. The only module that uses these requests and responses.

use contract::convert::to_wire;
use contract::identity::v1::identity_internal_service_server::{
    IdentityInternalService, IdentityInternalServiceServer,
};
use contract::identity::v1::{
    GetAccountNoticeRequest, GetAccountNoticeResponse, GetCodeMailRequest, GetCodeMailResponse,
    ListEndedSessionsRequest, ListEndedSessionsResponse,
};
use eventstore::StoreError;

use kernel::Id;
use kernel::id::{AccountNotice, MailedCode};
use messaging::FeedServer;
use runtime::caller::Peers;
use runtime::server::REQUEST_BYTES_MAX;
use runtime::status;
use serde_json::Value;
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::app::App;
use crate::repository::codes::{self, Purpose};
use crate::repository::{ended_sessions, notices, users};
use crate::tokens::pkce;
use crate::tokens::secrets::Digits;
use crate::tokens::token::LIFETIME_SECONDS_MAX;

/// Services that may read the mail of a code.
const MAIL_CALLERS: &[&str] = &["notifications"];
/// Services that accept access tokens.
const TOKEN_READERS: &[&str] = &["booking", "notifications", "payments", "reviews"];
/// How long an ended session is listed: until its last access token has run out, and a minute for
/// clocks that differ.
const LISTED_SECONDS: i64 = LIFETIME_SECONDS_MAX + 60;
/// Services that may read this service's feed.
const READERS: &[&str] = &["notifications"];

/// All gRPC services of this process.
#[must_use]
pub fn routes(app: App, peers: &Peers) -> Routes {
    let feed = FeedServer::service(app.store.clone(), peers.clone(), READERS);
    let internal = IdentityInternalServiceServer::new(Internal { app, peers: peers.clone() });
    Routes::new(internal.max_decoding_message_size(REQUEST_BYTES_MAX)).add_service(feed)
}

kernel::rejections! {
    /// Why a mail is not returned.
    enum Rejection {
        Malformed: InvalidArgument "CODE_ID_INVALID" @ "code_id",
            "This is not the id of a code.";
        NotFound: NotFound "CODE_NOT_FOUND" @ "code_id",
            "The code was used or replaced, or it has expired.";
        NoticeMalformed: InvalidArgument "NOTICE_ID_INVALID" @ "notice_id",
            "This is not the id of a notice.";
        NoticeNotFound: NotFound "NOTICE_NOT_FOUND" @ "notice_id",
            "The account is gone, or the notice is too old.";
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

    async fn get_account_notice(
        &self,
        request: Request<GetAccountNoticeRequest>,
    ) -> Result<Response<GetAccountNoticeResponse>, Status> {
        self.peers.verify(request.metadata(), MAIL_CALLERS)?;
        let notice_id: Id<AccountNotice> = request
            .get_ref()
            .notice_id
            .parse()
            .map_err(|_malformed| status::reject(&Rejection::NoticeMalformed))?;
        let notice = self.notice(notice_id).await.map_err(|error| status::unavailable(&error))?;
        notice.map(Response::new).ok_or_else(|| status::reject(&Rejection::NoticeNotFound))
    }

    async fn list_ended_sessions(
        &self,
        request: Request<ListEndedSessionsRequest>,
    ) -> Result<Response<ListEndedSessionsResponse>, Status> {
        self.peers.verify(request.metadata(), TOKEN_READERS)?;
        let ended = ended_sessions::list(self.app.store.pool(), LISTED_SECONDS).await;
        let ended = ended.map_err(|error| status::unavailable(&error))?;
        let session_ids = ended.iter().map(ToString::to_string).collect();
        Ok(Response::new(ListEndedSessionsResponse { session_ids }))
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
        let purpose = Purpose::from_word(&code.purpose);
        let link_type = purpose.map_or("", Purpose::link_type);
        let first_name = user.user_metadata.get("firstName").and_then(Value::as_str);
        let changes = link_type == Purpose::EmailChangeNew.link_type();
        let account = user.address().filter(|_| changes).map(|address| address.shortened());
        let account = account.unwrap_or_default();
        Ok(Some(GetCodeMailResponse {
            // A nonce is typed only.
            link: if purpose == Some(Purpose::Reauthentication) {
                String::new()
            } else {
                let link = self.app.redirects.link(&token, link_type, redirect_to);
                with_account(link, &account).to_string()
            },
            email: code.sent_to.or(user.email).unwrap_or_default(),
            first_name: first_name.unwrap_or_default().to_owned(),
            code: self.app.codes.digits(code.code_id, Digits::of_count(code.digits)),
            purpose: code.purpose,
            valid_minutes: purpose.map_or(codes::VALID_MINUTES, Purpose::valid_minutes),
            account,
        }))
    }
}

impl Internal {
    /// A notice with its address; `None` when the account has none that is proved: what the owner
    /// of an account did is mailed to that owner only.
    async fn notice(
        &self,
        notice_id: Id<AccountNotice>,
    ) -> Result<Option<GetAccountNoticeResponse>, StoreError> {
        let rows = self.app.store.pool();
        let Some(notice) = notices::by_id(rows, notice_id.uuid()).await? else { return Ok(None) };
        let Some(user) = users::by_id(rows, notice.user_id).await? else { return Ok(None) };
        let first_name = user.user_metadata.get("firstName").and_then(Value::as_str);
        let first_name = first_name.unwrap_or_default().to_owned();
        let email = user.email.filter(|_| user.email_proved_at.is_some());
        Ok(notice.sent_to.or(email).map(|email| GetAccountNoticeResponse {
            email,
            first_name,
            kind: notice.kind,
            occurred_at: Some(to_wire(notice.created_at)),
            device: notice.device,
            network: notice.network,
            subject: notice.subject,
        }))
    }
}

/// The link of a change with the account that it is for, which its page names.
fn with_account(mut link: Url, account: &str) -> Url {
    if let Some(fields) = link.fragment().filter(|_| !account.is_empty()) {
        let more = Serializer::new(String::new()).append_pair("account", account).finish();
        link.set_fragment(Some(&format!("{fields}&{more}")));
    }
    link
}

#[cfg(test)]
mod tests {
    use super::Rejection;
    use testkit::{dump, every_variant};

    #[test]
    fn rejections_reach_callers_like_this() {
        let all = every_variant!(Rejection: Malformed, NotFound, NoticeMalformed, NoticeNotFound);
        insta::assert_snapshot!("rejections", dump::rejections(&all));
    }
}
