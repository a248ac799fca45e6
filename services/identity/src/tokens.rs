//! What is handed to a signed-in person, and what proves who a person is: codes, tokens, links,
//! codes of authenticator apps, passkeys.

pub mod sealing;
pub mod secrets;
pub mod pkce;
pub mod recovery_code;
pub mod totp;
pub mod webauthn;
pub mod token;
pub mod id_token;
pub mod redirect;
