//! Rows of accounts with their identities, sessions with refresh tokens, codes, flows with PKCE,
//! and limits per address; second factors, passkeys, recovery codes, their challenges and limits;
//! notices to be mailed; keys of administrators and what was done to accounts.
//!
//! Functions that change rows take the transaction's clock, so that all rows of one request have
//! the same time.

pub mod users;
pub mod identities;
pub mod sessions;
pub mod ended_sessions;
pub mod codes;
pub mod code_mail_asks;
pub mod flow_states;
pub mod limits;
pub mod factors;
pub mod factor_limits;
pub mod passkeys;
pub mod recovery_codes;
pub mod challenges;
pub mod session_levels;
pub mod session_list;
pub mod notices;
pub mod contacts;
pub mod older_ways;
pub mod user_pages;
pub mod service_keys;
pub mod audit;
pub mod phone_messages;
pub mod provider_flows;

/// The pattern of texts that contain a text.
fn pattern_of(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
