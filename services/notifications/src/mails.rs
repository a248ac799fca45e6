//! What a mail is, and whether it is sent now, later or never. All of it but `kinds` is pure: it
//! reads no table and asks no other service.

pub mod kind;
pub mod mail;
pub mod payload;
pub mod addresses;
pub mod facts;
pub mod planning;
pub mod proposals;
pub mod moves;
pub mod declaration;
pub mod kinds;
