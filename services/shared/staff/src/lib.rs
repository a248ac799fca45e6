//! Who works for the practice. Roles live in booking's table and are asked for on every call, so a
//! change counts at once; what a token claims is a hint for the user interface and no more.

mod directory;
mod gate;
mod levels;
mod roles;

pub use directory::StaffDirectory;
pub use gate::{LISTED_NETWORK, Refusal, let_in};
pub use levels::{CALLS, Level};
pub use roles::{Role, Roles, Staff, StaffError, Standing, admit};
