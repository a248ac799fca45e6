//! Sessions that end before their access tokens run out: by a sign-out, a new password, a ban. Our
//! identity service is asked for them every few seconds, and [`Users`] refuses their tokens.
//!
//! While the identity service does not answer, its last list stays in force; tokens of sessions
//! that end meanwhile expire after ten minutes.

use std::collections::HashSet;
use std::time::Duration;

use contract::identity::v1::ListEndedSessionsRequest;
use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use tokio::time::sleep;

use crate::caller::{Peers, Users};
use crate::channel::{self, PeerChannel};
use crate::error::BoxError;
use crate::shutdown::Shutdown;

/// The pause between two requests; an ended session is refused everywhere well within a minute.
const INTERVAL: Duration = Duration::from_secs(15);

/// Keeps `users` informed of ended sessions until shutdown. Does nothing if the identity server is
/// not ours.
///
/// # Errors
/// The identity service's URL cannot be one.
pub async fn follow(users: Users, peers: Peers, shutdown: Shutdown) -> Result<(), BoxError> {
    let Some(url) = users.identity_url() else {
        shutdown.wait().await;
        return Ok(());
    };
    let mut identity = IdentityInternalServiceClient::new(channel::peer(url, "identity", &peers)?);
    let mut answered = true;
    loop {
        let before = std::mem::replace(&mut answered, ask(&users, &mut identity).await);
        match (before, answered) {
            (true, false) => tracing::warn!("identity does not say which sessions have ended"),
            (false, true) => tracing::info!("identity says again which sessions have ended"),
            _ => {}
        }
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = sleep(INTERVAL) => {}
        }
    }
}

/// Makes one request. Returns whether there was an answer.
async fn ask(users: &Users, identity: &mut IdentityInternalServiceClient<PeerChannel>) -> bool {
    let Ok(answer) = identity.list_ended_sessions(ListEndedSessionsRequest {}).await else {
        return false;
    };
    let ended = answer.into_inner().session_ids;
    let ended: HashSet<_> = ended.iter().filter_map(|id| id.parse().ok()).collect();
    users.refuse_sessions(ended);
    true
}
