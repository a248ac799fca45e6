//! What an account is made of: its address, its password and its hash; and the devices it is used
//! on.

pub mod address;
pub mod blocklist;
pub mod password;
pub mod hashing;
pub mod device;
pub mod imported;
