//! Staff roles on the wire.

use contract::booking::v1::StaffRole;
use staff::Role;

pub(super) fn wire_role(role: Option<Role>) -> StaffRole {
    match role {
        None => StaffRole::Unspecified,
        Some(Role::Owner) => StaffRole::Owner,
        Some(Role::Admin) => StaffRole::Admin,
        Some(Role::Practitioner) => StaffRole::Practitioner,
        Some(Role::FrontDesk) => StaffRole::FrontDesk,
    }
}

/// `None` for no role, and for one that this version does not know.
pub(super) fn read_role(role: StaffRole) -> Option<Role> {
    match role {
        StaffRole::Unspecified => None,
        StaffRole::Owner => Some(Role::Owner),
        StaffRole::Admin => Some(Role::Admin),
        StaffRole::Practitioner => Some(Role::Practitioner),
        StaffRole::FrontDesk => Some(Role::FrontDesk),
    }
}
