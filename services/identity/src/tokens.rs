//! What is handed to a signed-in person: codes, tokens, and the links that carry them.

pub mod secrets;
pub mod pkce;
pub mod token;
pub mod redirect;
