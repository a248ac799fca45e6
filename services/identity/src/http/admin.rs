//! The calls of administrators, who have a service key: accounts, links, invitations, the audit
//! log.

mod key;
mod paging;
mod ban;
mod fields;
mod users;
mod removal;
mod links;
mod invite;
mod audit;
mod factors;

use axum::Router;
use axum::routing::{get, post, put};

use crate::app::App;

/// All of them.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/invite", post(invite::invite))
        .route("/admin/audit", get(audit::list))
        .route("/admin/generate_link", post(links::generate))
        .route("/admin/users", get(users::list).post(users::create))
        .route(
            "/admin/users/{user_id}",
            get(users::read).put(users::update).delete(removal::remove),
        )
        .route("/admin/users/{user_id}/factors", get(factors::list))
        .route(
            "/admin/users/{user_id}/factors/{factor_id}",
            put(factors::change).delete(factors::remove),
        )
        .route("/admin/sso/providers", get(factors::no_saml).post(factors::no_saml))
        .route(
            "/admin/sso/providers/{provider_id}",
            get(factors::no_saml).put(factors::no_saml).delete(factors::no_saml),
        )
}
