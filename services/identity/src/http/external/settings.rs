//! What the settings say of providers.

use crate::app::App;
use crate::http::error::ApiError;
use crate::http::unsupported;
use crate::providers::Provider;

/// The provider with a name, if it is switched on.
pub(super) fn provider<'a>(app: &'a App, name: &str) -> Result<&'a Provider, ApiError> {
    let name = name.to_ascii_lowercase();
    let known = app.providers.iter().find(|provider| provider.settings.name == name);
    known.ok_or_else(|| unsupported::provider(&name))
}

/// Where providers lead back to.
pub(super) fn callback_url(app: &App) -> String {
    format!("{}/callback", app.tokens.issuer().trim_end_matches('/'))
}

/// Adding and removing identities, if it is switched on.
pub(super) fn manual_linking(app: &App) -> Result<(), ApiError> {
    if app.features.manual_linking {
        return Ok(());
    }
    Err(ApiError::not_found("manual_linking_disabled", "Manual linking is disabled"))
}
