//! By which way a consent comes: what the gateway tells of a request, and that staff sign for
//! themselves only.

use std::net::IpAddr;

use kernel::Id;
use kernel::id::Customer;
use tonic::metadata::MetadataMap;

use super::App;
use crate::domain::consent::code::SignatureError;
use crate::domain::consent::proof::{self, Channel, Proof};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::staff::role_of;

/// The caller's network and browser. The gateway sets them; it passes on nothing of that name that
/// a client sent.
const NETWORK: &str = "x-caller-network";
const USER_AGENT: &str = "x-caller-user-agent";

/// What the gateway told of a request.
#[must_use]
pub fn told(metadata: &MetadataMap, channel: Channel) -> Proof {
    let text = |name: &str| metadata.get(name).and_then(|value| value.to_str().ok());
    let address = text(NETWORK).and_then(|address| address.parse::<IpAddr>().ok());
    Proof {
        channel,
        network: address.map(proof::network_of),
        user_agent: text(USER_AGENT).and_then(proof::user_agent),
        ..Proof::default()
    }
}

/// Checks that a signed-in member of the practice signs for no other person: only with the own
/// address of the account.
///
/// # Errors
/// `ByStaff`, or when the database does not answer.
pub(super) async fn check_signer(
    app: &App,
    (account, email): (Id<Customer>, &str),
    client: &str,
) -> Result<(), Error> {
    if email.eq_ignore_ascii_case(client) {
        return Ok(());
    }
    let role = role_of(app.store.pool(), account).await.map_err(Error::unavailable)?;
    if role.is_some() { Err(refuse(Rejection::NotSigned(SignatureError::ByStaff))) } else { Ok(()) }
}
