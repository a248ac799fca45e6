//! Roles as booking tells them.

use contract::booking::v1::GetStaffRoleRequest;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use runtime::caller::{Aal, Peers};
use runtime::channel::{self, InvalidUrl, PeerChannel};

use crate::roles::{Role, Roles, Standing};

/// Asks booking for roles.
#[derive(Debug, Clone)]
pub struct StaffDirectory {
    client: BookingInternalServiceClient<PeerChannel>,
}

impl StaffDirectory {
    /// Asks the booking service at `url`.
    pub fn new(url: &str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let channel = channel::peer(url, "booking", peers)?;
        Ok(Self { client: BookingInternalServiceClient::new(channel) })
    }
}

impl Roles for StaffDirectory {
    fn standing_of(
        &self,
        person: Id<Customer>,
        reach: Aal,
    ) -> BoxFuture<'_, Result<Option<Standing>, BoxError>> {
        let used_second_factor = reach == Aal::Aal2;
        let request = GetStaffRoleRequest { user_id: person.to_string(), used_second_factor };
        let mut client = self.client.clone();
        async move {
            let answer = client.get_staff_role(request).await?.into_inner();
            let needs_second_factor = answer.second_factor_required;
            Ok(Role::from_word(&answer.role).map(|role| Standing { role, needs_second_factor }))
        }
        .boxed()
    }
}
