//! What an account is made of: its address, its password, and the password's hash.

pub mod address;
pub mod password;
pub mod hashing;
