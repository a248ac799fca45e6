//! Guesses at the digits of codes over many addresses: counted by the network that types them and
//! in total, as guesses at passwords are.

use tokio::time::Instant;

use crate::app::App;
use crate::guard::security_log::{self, About, Kind, Method, Outcome};
use crate::guard::spray::Guess;
use crate::http::captcha;
use crate::http::error::ApiError;

/// Redeems digits unless the network of the client has typed too many wrong ones, and counts them.
/// They count before they are compared, so that concurrent guesses count, too. A refusal says
/// nothing of the code; the link in the same mail is no guess and is never refused.
pub(crate) async fn counted<T>(
    app: &App,
    guess: Guess,
    redeeming: impl Future<Output = Result<T, ApiError>>,
    is_right: impl FnOnce(&T) -> bool,
) -> Result<T, ApiError> {
    let limited = |kind| {
        security_log::write(kind, Outcome::Limited, Method::Code, About::NoAccount);
    };
    if app.spray.begin(&guess, Instant::now()).is_err() {
        limited(Kind::SignIn);
        return Err(captcha::limited(app, "over_request_rate_limit").await);
    }
    let redeemed = redeeming.await?;
    if app.spray.end(&guess, is_right(&redeemed), Instant::now()) {
        limited(Kind::GuessingAlarm);
    }
    Ok(redeemed)
}
