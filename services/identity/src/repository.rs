//! Rows of accounts with their identities, sessions with refresh tokens, codes, flows with PKCE,
//! and limits per address; second factors, passkeys, recovery codes, their challenges and limits;
//! notices to be mailed; keys of administrators and what was done to accounts.
//!
//! Functions that change rows take the transaction's clock, so that all rows of one request have
//! the same time.

/// Reads a row of a type from the columns of its fields' names; `json` ones are stored as JSON, and
/// `rows` are rows themselves. For sqlx's derive cargo would compile sqlx once more.
macro_rules! from_row {
    ($type:ident { $($column:ident),* $(,)? }
        $(json { $($json:ident),* })? $(rows { $($row:ident),* })?) => {
        impl<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> for $type {
            fn from_row(row: &'r sqlx::postgres::PgRow) -> Result<Self, sqlx::Error> {
                use sqlx::Row as _;
                Ok(Self {
                    $($column: row.try_get(stringify!($column))?,)*
                    $($($json: row.try_get::<sqlx::types::Json<_>, _>(stringify!($json))?.0,)*)?
                    $($($row: sqlx::FromRow::from_row(row)?,)*)?
                })
            }
        }
    };
}

pub mod users;
pub mod unconfirmed;
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
