//! This service's settings, one struct per concern.

pub mod commands;
mod factors;

use std::net::SocketAddr;

use runtime::Reader;
use runtime::caller::PeerSettings;
use runtime::settings::Mode;
use secrecy::{ExposeSecret as _, SecretString};
use service::MigrationConfig;
use url::Url;

use crate::accounts::address::EmailAddress;
use crate::app::account::AccountRequest;
use crate::app::features::Features;
use crate::app::policy::{Clients, Policy};
use crate::app::service_key::KeyRequest;
use crate::app::{AccountSettings, OtherKeys};
use crate::providers::ProviderSettings;
use crate::sms::SmsSettings;
use crate::tokens::token::{LIFETIME_SECONDS_DEFAULT, LIFETIME_SECONDS_MAX};

use factors::address;
pub use factors::{EnrollFactorConfig, ResetFactorsConfig};

/// Maximum characters of a name, as on the site's own pages.
const NAME_CHARACTERS_MAX: usize = 200;
/// Minimum bytes of the code key; a shorter one could be guessed.
const CODE_KEY_BYTES_MIN: usize = 16;
/// Minimum lifetime of an access token; client libraries refresh it a minute and a half before.
const ACCESS_TOKEN_SECONDS_MIN: i64 = 120;

/// How many days a service key works.
const SERVICE_KEY_DAYS: i64 = 90;
const SERVICE_KEY_DAYS_MAX: i64 = 366;
const KEY_NAME_BYTES_MAX: usize = 60;
/// The issuers of providers that are the same everywhere.
const GOOGLE: &str = "https://accounts.google.com";
const APPLE: &str = "https://appleid.apple.com";
/// The most messages of an hour to all phones.
const SMS_PER_HOUR: u32 = 100;
/// The most mails with codes of an hour.
pub const CODE_MAILS_PER_HOUR: u32 = 300;
const CODE_MAILS_PER_HOUR_MIN: u32 = 10;

/// Settings of `serve`.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address of gRPC; `IDENTITY_LISTEN`.
    pub listen: SocketAddr,
    /// The address of the GoTrue contract, served at `/`; `IDENTITY_HTTP_LISTEN`.
    pub http_listen: SocketAddr,
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The NATS server; `NATS_URL`, `EVENT_SIGNATURES`, `NATS_STREAM_REPLICAS`.
    pub nats: messaging::Nats,
    /// How accounts and their tokens are made.
    pub accounts: AccountSettings,
    /// Verification and signing of services' tokens.
    pub peers: PeerSettings,
}

/// Settings of the command `account`.
#[derive(Debug, Clone)]
pub struct AccountConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The account; `ACCOUNT_EMAIL`, `ACCOUNT_PASSWORD`, `ACCOUNT_FIRST_NAME` and
    /// `ACCOUNT_LAST_NAME`. With `ACCOUNT_KEEP_EXISTING=true` an existing account stays unchanged.
    pub account: AccountRequest,
}

/// Settings of the command `find-account`.
#[derive(Debug, Clone)]
pub struct FindAccountConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The address of the account; `ACCOUNT_EMAIL`.
    pub email: EmailAddress,
}

/// Settings of the command `service-key`.
#[derive(Debug, Clone)]
pub struct ServiceKeyConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The key that signs it; `IDENTITY_SIGNING_KEY`.
    pub signing_key: SecretString,
    /// The issuer of tokens; `TOKEN_ISSUER`.
    pub issuer: String,
    /// The key; `SERVICE_KEY_NAME`, and `SERVICE_KEY_DAYS`, 90 by default and 366 at most.
    pub key: KeyRequest,
}

/// Settings of the command `revoke-service-key`.
#[derive(Debug, Clone)]
pub struct RevokeServiceKeyConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// The name of the keys that end; `SERVICE_KEY_NAME`.
    pub name: String,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("IDENTITY_LISTEN"),
            http_listen: reader.address("IDENTITY_HTTP_LISTEN"),
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            nats: messaging::Nats::read(reader),
            accounts: AccountSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }
}

impl AccountSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        let code_key = reader.secret("IDENTITY_CODE_KEY");
        let length = code_key.expose_secret().len();
        if length > 0 && length < CODE_KEY_BYTES_MIN {
            reader.problem("IDENTITY_CODE_KEY", "it is shorter than 16 characters");
        }
        Self {
            public_url: reader.url("PUBLIC_URL"),
            issuer: reader.url("TOKEN_ISSUER"),
            signing_key: reader.secret("IDENTITY_SIGNING_KEY"),
            code_key,
            other_keys: OtherKeys {
                signing_previous: reader.optional_secret("IDENTITY_SIGNING_KEY_PREVIOUS"),
                signing_next: reader.optional_secret("IDENTITY_SIGNING_KEY_NEXT"),
                code_previous: reader.optional_secret("IDENTITY_CODE_KEY_PREVIOUS"),
            },
            confirm_email: confirm_email(reader),
            captcha_required: reader.parse_or("IDENTITY_CAPTCHA_REQUIRED", false),
            policy: Policy::read(reader),
            code_mails_per_hour: code_mails_per_hour(reader),
            access_token_seconds: access_token_seconds(reader),
            features: Features::read(reader),
        }
    }
}

/// Whether addresses are confirmed, which only development may switch off: otherwise any stranger
/// could use the address of another person (a member of the practice, for instance) before its
/// owner does.
fn confirm_email(reader: &mut Reader<'_>) -> bool {
    const NAME: &str = "IDENTITY_CONFIRM_EMAIL";
    let confirm_email = reader.parse_or(NAME, true);
    if !confirm_email && reader.mode() == Mode::Production {
        reader.problem(NAME, "it may be false only with SUKOON_MODE=development");
    }
    confirm_email
}

impl Features {
    fn read(reader: &mut Reader<'_>) -> Self {
        let sms = SmsSettings::read(reader);
        Self {
            anonymous: reader.parse_or("IDENTITY_ANONYMOUS", false),
            manual_linking: reader.parse_or("IDENTITY_MANUAL_LINKING", false),
            mfa_phone: mfa_phone(reader, sms.is_some()),
            sms,
            providers: providers(reader),
        }
    }
}

/// Whether a phone may be a second factor, which needs a sender of messages.
fn mfa_phone(reader: &mut Reader<'_>, has_sender: bool) -> bool {
    const NAME: &str = "IDENTITY_MFA_PHONE";
    let mfa_phone = reader.parse_or(NAME, false);
    if mfa_phone && !has_sender {
        reader.problem(NAME, "it may be true only with IDENTITY_SMS_URL and IDENTITY_SMS_KEY");
    }
    mfa_phone
}

/// The providers whose client id is set.
fn providers(reader: &mut Reader<'_>) -> Vec<ProviderSettings> {
    let mut found = Vec::new();
    for (name, issuer) in [("google", GOOGLE), ("apple", APPLE), ("keycloak", "")] {
        let setting = |last: &str| format!("IDENTITY_{}_{last}", name.to_ascii_uppercase());
        let issuer = reader.text_or(&setting("ISSUER"), issuer);
        let client_id = reader.optional(&setting("CLIENT_ID"));
        let client_secret = reader.optional_secret(&setting("SECRET"));
        let Some(client_id) = client_id else {
            if client_secret.is_some() {
                let what = "it is missing while the provider's secret is set";
                reader.problem(&setting("CLIENT_ID"), what);
            }
            continue;
        };
        let secure = issuer.starts_with("https://")
            || (issuer.starts_with("http://") && reader.mode() == Mode::Development);
        if !secure {
            reader.problem(&setting("ISSUER"), "it must be a URL that begins with https://");
        }
        match client_secret {
            Some(client_secret) => {
                let name = name.to_owned();
                found.push(ProviderSettings { name, issuer, client_id, client_secret });
            }
            None => {
                let what = "it is missing while the provider's client id is set";
                reader.problem(&setting("SECRET"), what);
            }
        }
    }
    found
}

impl SmsSettings {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let url = reader.optional_url("IDENTITY_SMS_URL");
        let key = reader.optional_secret("IDENTITY_SMS_KEY");
        let per_hour = reader.parse_or("IDENTITY_SMS_PER_HOUR", SMS_PER_HOUR);
        match (url, key) {
            (None, None) => None,
            (Some(url), Some(key)) => Some(Self { url, key, per_hour }),
            (Some(_), None) => {
                reader.problem("IDENTITY_SMS_KEY", "it is missing while IDENTITY_SMS_URL is set");
                None
            }
            (None, Some(_)) => {
                reader.problem("IDENTITY_SMS_URL", "it is missing while IDENTITY_SMS_KEY is set");
                None
            }
        }
    }
}

impl Policy {
    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            signups: reader.parse_or("IDENTITY_SIGNUPS", true),
            clients: reader.parse_or("IDENTITY_CLIENTS", Clients::Own),
            verify_by_get: reader.parse_or("IDENTITY_VERIFY_BY_GET", false),
            keep_sign_up_password: reader.parse_or("IDENTITY_KEEP_SIGN_UP_PASSWORD", false),
            origins: origins(reader, "IDENTITY_CORS_ORIGINS"),
        }
    }
}

/// A comma-separated list of origins: `https://app.example, http://127.0.0.1:3000`.
fn origins(reader: &mut Reader<'_>, setting: &str) -> Vec<Url> {
    let text = reader.text_or(setting, "");
    let mut origins = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let url = Url::parse(part).ok().filter(|url| {
            url.has_host() && matches!(url.scheme(), "http" | "https") && is_origin(url)
        });
        match url {
            Some(url) => origins.push(url),
            None => reader.problem(setting, "it must be a list of origins, as https://app.example"),
        }
    }
    origins
}

/// Whether the URL has nothing but scheme, host and port.
fn is_origin(url: &Url) -> bool {
    url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}

fn code_mails_per_hour(reader: &mut Reader<'_>) -> u32 {
    const NAME: &str = "IDENTITY_CODE_MAILS_PER_HOUR";
    let per_hour = reader.parse_or(NAME, CODE_MAILS_PER_HOUR);
    if per_hour < CODE_MAILS_PER_HOUR_MIN {
        reader.problem(NAME, "it must be 10 or more, so that each of its shares has some");
    }
    per_hour
}

fn access_token_seconds(reader: &mut Reader<'_>) -> i64 {
    const NAME: &str = "IDENTITY_ACCESS_TOKEN_SECONDS";
    let seconds = reader.parse_or(NAME, LIFETIME_SECONDS_DEFAULT);
    if !(ACCESS_TOKEN_SECONDS_MIN..=LIFETIME_SECONDS_MAX).contains(&seconds) {
        reader.problem(NAME, "it must be from 120 to 3600");
    }
    seconds
}

/// Reads the settings of `migrate`.
pub fn migration(reader: &mut Reader<'_>) -> MigrationConfig {
    MigrationConfig {
        owner_url: reader.secret("IDENTITY_MIGRATION_DATABASE_URL"),
        database_url: reader.secret("IDENTITY_DATABASE_URL"),
    }
}

impl AccountConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            account: AccountRequest {
                email: address(reader, "ACCOUNT_EMAIL"),
                password: reader.secret("ACCOUNT_PASSWORD"),
                first_name: name(reader, "ACCOUNT_FIRST_NAME"),
                last_name: name(reader, "ACCOUNT_LAST_NAME"),
                keep_existing: reader.parse_or("ACCOUNT_KEEP_EXISTING", false),
            },
        }
    }
}

impl FindAccountConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            email: address(reader, "ACCOUNT_EMAIL"),
        }
    }
}

impl ServiceKeyConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let days = reader.parse_or("SERVICE_KEY_DAYS", SERVICE_KEY_DAYS);
        if !(1..=SERVICE_KEY_DAYS_MAX).contains(&days) {
            reader.problem("SERVICE_KEY_DAYS", "it must be between 1 and 366");
        }
        Self {
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            signing_key: reader.secret("IDENTITY_SIGNING_KEY"),
            issuer: reader.url("TOKEN_ISSUER"),
            key: KeyRequest { name: key_name(reader), days },
        }
    }
}

impl RevokeServiceKeyConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self { database_url: reader.secret("IDENTITY_DATABASE_URL"), name: key_name(reader) }
    }
}

/// The name of a service key, which audit entries repeat.
fn key_name(reader: &mut Reader<'_>) -> String {
    let name = reader.required("SERVICE_KEY_NAME");
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.len() > KEY_NAME_BYTES_MAX || !name.bytes().all(known) {
        let what = "it must have at most 60 letters, digits, and the characters - _ .";
        reader.problem("SERVICE_KEY_NAME", what);
    }
    name
}

/// A name as the site's own pages accept it: one line of limited length.
fn name(reader: &mut Reader<'_>, setting: &str) -> String {
    let text = reader.text_or(setting, "");
    if text.chars().count() > NAME_CHARACTERS_MAX || text.chars().any(char::is_control) {
        reader.problem(setting, "it must be a text of one line, with at most 200 characters");
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{AccountConfig, AccountSettings};
    use runtime::Reader;

    const COMPLETE: &[(&str, &str)] = &[
        ("PUBLIC_URL", "https://sukoon.example/"),
        ("TOKEN_ISSUER", "https://sukoon.example/auth/v1"),
        ("IDENTITY_SIGNING_KEY", "a key"),
        ("IDENTITY_CODE_KEY", "sixteen letters or more"),
    ];

    fn problems(settings: &[(&str, &str)]) -> Vec<String> {
        let mut reader = Reader::new(&settings);
        AccountSettings::read(&mut reader);
        let problems = reader.finish(()).err().map(|invalid| invalid.problems);
        problems.unwrap_or_default().into_iter().map(|problem| problem.name).collect()
    }

    #[test]
    fn addresses_are_confirmed_unless_the_settings_say_otherwise() {
        assert!(AccountSettings::read(&mut Reader::new(&COMPLETE)).confirm_email);
        let off = [COMPLETE, &[("IDENTITY_CONFIRM_EMAIL", "false")]].concat();
        assert!(!AccountSettings::read(&mut Reader::new(&off.as_slice())).confirm_email);
        assert_eq!(problems(COMPLETE), Vec::<String>::new());
    }

    #[test]
    fn production_refuses_to_run_without_confirmed_addresses() {
        let off = [COMPLETE, &[("IDENTITY_CONFIRM_EMAIL", "false")]].concat();
        for mode in [&[][..], &[("SUKOON_MODE", "production")]] {
            assert_eq!(problems(&[off.as_slice(), mode].concat()), ["IDENTITY_CONFIRM_EMAIL"]);
        }
        let development = [&off[..], &[("SUKOON_MODE", "development")]].concat();
        assert_eq!(problems(&development), Vec::<String>::new());
    }

    #[test]
    fn a_phone_is_a_second_factor_only_with_a_sender_of_messages() {
        let on = [COMPLETE, &[("IDENTITY_MFA_PHONE", "true")]].concat();
        assert_eq!(problems(&on), ["IDENTITY_MFA_PHONE"]);
        let sender = [("IDENTITY_SMS_URL", "https://sms.example/"), ("IDENTITY_SMS_KEY", "a key")];
        let both = [on.as_slice(), &sender].concat();
        assert_eq!(problems(&both), Vec::<String>::new());
        let mfa_phone = |settings: &[(&str, &str)]| {
            AccountSettings::read(&mut Reader::new(&settings)).features.mfa_phone
        };
        assert!(mfa_phone(&both));
        assert!(!mfa_phone(&[COMPLETE, &sender].concat()), "off by default");
    }

    #[test]
    fn origins_are_a_list_and_nothing_but_origins() {
        let with = |text| [COMPLETE, &[("IDENTITY_CORS_ORIGINS", text)]].concat();
        let origins = |text| {
            let settings = with(text);
            let read = AccountSettings::read(&mut Reader::new(&settings.as_slice()));
            read.policy.origins.iter().map(|url| url.origin().ascii_serialization()).collect()
        };
        let two: Vec<String> = origins("https://app.example, http://127.0.0.1:3000/");
        assert_eq!(two, ["https://app.example", "http://127.0.0.1:3000"]);
        assert_eq!(origins(""), Vec::<String>::new());
        for wrong in ["*", "app.example", "https://app.example/path", "https://a@app.example"] {
            assert_eq!(problems(&with(wrong)), ["IDENTITY_CORS_ORIGINS"], "{wrong}");
        }
    }

    #[test]
    fn access_tokens_last_ten_minutes_unless_the_settings_say_otherwise() {
        let settings = AccountSettings::read(&mut Reader::new(&COMPLETE));
        assert_eq!(settings.access_token_seconds, 600);
        let lasting =
            |seconds| problems(&[COMPLETE, &[("IDENTITY_ACCESS_TOKEN_SECONDS", seconds)]].concat());
        assert_eq!(lasting("3600"), Vec::<String>::new());
        for wrong in ["0", "60", "-600", "7200"] {
            assert_eq!(lasting(wrong), ["IDENTITY_ACCESS_TOKEN_SECONDS"], "{wrong}");
        }
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused() {
        let with_key = |key| [COMPLETE.get(..3).unwrap(), &[("IDENTITY_CODE_KEY", key)]].concat();
        assert_eq!(problems(&with_key("short")), ["IDENTITY_CODE_KEY"]);
        assert_eq!(problems(&with_key("demo-but-long-enough")), ["IDENTITY_CODE_KEY"]);
    }

    #[test]
    fn an_account_needs_an_address_and_a_password_and_may_have_names() {
        let result = |settings: &[(&str, &str)]| {
            let mut reader = Reader::new(&settings);
            let config = AccountConfig::read(&mut reader);
            let problems = |invalid: runtime::settings::Invalid| {
                invalid.problems.into_iter().map(|problem| problem.name).collect::<Vec<_>>()
            };
            reader.finish(config).map_err(problems)
        };
        let all = ["IDENTITY_DATABASE_URL", "ACCOUNT_EMAIL", "ACCOUNT_PASSWORD"];
        assert_eq!(result(&[]).unwrap_err(), all);
        let complete = [
            ("IDENTITY_DATABASE_URL", "postgres://identity:word@127.0.0.1/identity"),
            ("ACCOUNT_EMAIL", "Meera@Sukoon.example"),
            ("ACCOUNT_PASSWORD", "a quiet garden"),
        ];
        let account = result(&complete).unwrap().account;
        assert_eq!(account.email.as_str(), "meera@sukoon.example");
        assert_eq!((account.first_name.as_str(), account.keep_existing), ("", false));
        let keeping = [&[("ACCOUNT_KEEP_EXISTING", "true")], complete.as_slice()].concat();
        assert!(result(&keeping).unwrap().account.keep_existing);
        let wrong = [("ACCOUNT_EMAIL", "meera"), ("ACCOUNT_LAST_NAME", "Joshi\nBcc: x")];
        let wrong = [&wrong, complete.as_slice()].concat();
        assert_eq!(result(&wrong).unwrap_err(), ["ACCOUNT_EMAIL", "ACCOUNT_LAST_NAME"]);
    }
}
