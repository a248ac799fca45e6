//! Protection of accounts against guesses: which client asks, what it may try, and the record of
//! it. See "Guesses" in the README.

pub mod caller;
pub mod device;
pub mod spray;
pub mod work;
pub mod security_log;
