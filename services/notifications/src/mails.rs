//! What a mail is, and whether it is sent now, later or never. All of it is pure: nothing here
//! reads a table or asks another service.

pub mod kind;
pub mod mail;
pub mod payload;
pub mod addresses;
pub mod facts;
pub mod planning;
pub mod kinds;
