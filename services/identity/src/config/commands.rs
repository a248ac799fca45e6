//! The commands beside `serve` and `migrate`, with their settings.

use runtime::Program;

use super::{
    AccountConfig, EnrollFactorConfig, FindAccountConfig, ResetFactorsConfig,
    RevokeServiceKeyConfig, ServiceKeyConfig,
};
use crate::app::older_ways::{self, OlderWaysConfig};
use crate::app::{account, enroll_factor, reset_factors, service_key};

/// Adds them.
pub fn add_to(program: Program) -> Program {
    program
        .command("account", AccountConfig::read, |config, _stop| {
            account::run(config.database_url, config.account)
        })
        .command("find-account", FindAccountConfig::read, |config, _stop| {
            account::find(config.database_url, config.email)
        })
        .command("reset-factors", ResetFactorsConfig::read, |config, _stop| {
            reset_factors::run(config.database_url, config.email)
        })
        .command("older-ways", OlderWaysConfig::read, |config, _stop| {
            older_ways::run(config.database_url)
        })
        .command("enroll-factor", EnrollFactorConfig::read, |config, _stop| {
            enroll_factor::run(config.database_url, config.enrolment)
        })
        .command("service-key", ServiceKeyConfig::read, |config, _stop| {
            let signing = (config.signing_key, config.issuer);
            service_key::run(config.database_url, signing, config.key)
        })
        .command("revoke-service-key", RevokeServiceKeyConfig::read, |config, _stop| {
            service_key::revoke(config.database_url, config.name)
        })
}
