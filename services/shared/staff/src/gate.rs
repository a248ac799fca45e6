//! The one check of staff: the role first, then the second factor and its age. Every call of staff
//! passes it.

use runtime::BoxError;
use runtime::caller::User;
use tonic::metadata::MetadataMap;

use crate::levels::Level;
use crate::roles::{Role, Roles, Staff, StaffError, admit};

/// Metadata that only the gateway sets, on calls from a network that the practice has listed
/// (`GATEWAY_STAFF_NETWORKS`): that network. Calls from there need no second factor.
pub const LISTED_NETWORK: &str = "x-listed-network";

/// Why a call of staff is refused.
#[derive(Debug)]
pub enum Refusal {
    /// The person's role, and why it is not enough.
    Refused(Option<Role>, StaffError),
    /// The role cannot be read.
    Unavailable(BoxError),
}

/// Authorizes a person whose role is in `allowed` and whose session has the second factor that it
/// needs, shown as lately as `level` asks. A session of an account with a second factor needs it.
/// The token's claims `aal` and `amr` say what the session has used, and when; hosted identity
/// servers write them as well.
pub async fn let_in(
    roles: &dyn Roles,
    user: &User,
    metadata: &MetadataMap,
    allowed: &[Role],
    level: Level,
) -> Result<Staff, Refusal> {
    let standing = roles.standing_of(user.customer, user.reach()).await;
    let standing = standing.map_err(Refusal::Unavailable)?;
    let role = standing.map(|standing| standing.role);
    let refused = |why| Refusal::Refused(role, why);
    let admitted = admit(role, allowed).map_err(refused)?;
    let needs_one = standing.is_some_and(|standing| standing.needs_second_factor);
    if let (true, Err(why)) = (needs_one, level.accept_user(user)) {
        let network = metadata.get(LISTED_NETWORK).and_then(|value| value.to_str().ok());
        let network = network.ok_or_else(|| refused(why))?;
        // The words of the log of account security, which names no person.
        tracing::info!(
            target: "security",
            kind = "staff_call",
            outcome = "second_factor_not_asked",
            method = "listed_network",
            account = "-",
            network,
            "account security"
        );
    }
    Ok(Staff { id: user.customer, role: admitted })
}
