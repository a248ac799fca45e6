//! The staff of the practice. Roles are in booking's table and are read on every call, so a change
//! counts at once; a token's claim is only a hint for the user interface.

mod directory;
mod gate;
mod levels;
mod roles;

pub use directory::StaffDirectory;
pub use gate::{LISTED_NETWORK, Refusal, let_in};
pub use levels::Level;
pub use roles::{Role, Roles, Staff, StaffError, Standing, admit};
