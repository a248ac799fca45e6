//! The owner's second step, set up at the end of `sukoon init`: an authenticator app reads the
//! secret from the screen, and one code shows that it has. The secret is written nowhere else.
use anyhow::{Context, Result};
use machine::app_codes::{self, unix_seconds};
use machine::output;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use std::io::{BufRead, IsTerminal};

/// How often a code may be typed.
const TRIES: usize = 5;

/// Has the owner set it up, and passes the secret on. Without a terminal, or without a right code,
/// it says where it is set up later: until then calls of staff are refused.
pub(super) fn enroll(
    domain: &str,
    email: &str,
    keep: impl FnOnce(&str) -> Result<()>,
) -> Result<()> {
    let input = std::io::stdin();
    let secret = app_codes::new_secret();
    let typed = input.is_terminal().then(|| {
        show(&app_codes::uri(domain, email, &secret), &secret)?;
        has_typed(input.lock(), &secret, unix_seconds)
    });
    if typed.transpose()? == Some(true) {
        keep(&secret)?;
        output::line(
            "The second step is set up. Sign in, and make recovery codes on the account page.",
        );
        return Ok(());
    }
    output::line(format_args!(
        "The second step is not set up yet. The owner signs in and does it at \
         https://{domain}/account#second-step: calls of staff need it."
    ));
    Ok(())
}

fn show(uri: &str, secret: &str) -> Result<()> {
    let code = QrCode::new(uri.as_bytes()).context("the second step's address is too long")?;
    // A terminal is dark as a rule, and an app reads dark on light.
    let (dark, light) = (Dense1x2::Light, Dense1x2::Dark);
    output::line(code.render::<Dense1x2>().dark_color(dark).light_color(light).build());
    output::line(format_args!(
        "Calls of staff need a second step. Scan this with an authenticator app, or type the key \
         {secret} there; then type the code that it shows:"
    ));
    Ok(())
}

/// Whether one of the first lines is a code of the secret.
fn has_typed(input: impl BufRead, secret: &str, now: impl Fn() -> i64) -> Result<bool> {
    for line in input.lines().take(TRIES) {
        let line = line.context("no code can be read")?;
        if app_codes::is_code(secret, &line, now())? {
            return Ok(true);
        }
        output::line("That is not the code; type the one that the app shows now:");
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::{has_typed, show};

    /// "12345678901234567890", the secret of RFC 6238, appendix B.
    const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    #[test]
    fn the_owner_has_some_tries_to_type_the_code_of_now() {
        let typed = |text: &str| has_typed(text.as_bytes(), SECRET, || 59).unwrap();
        assert!(typed("287082\n"));
        assert!(typed("000000\n287082\n"));
        assert!(!typed("000000\n") && !typed(""));
        assert!(!typed(&format!("{}287082\n", "000000\n".repeat(5))));
    }

    #[test]
    fn the_address_of_a_long_name_can_be_shown() {
        let (site, email) = ("b".repeat(60), format!("{}@example.org", "a".repeat(60)));
        show(&machine::app_codes::uri(&site, &email, SECRET), SECRET).unwrap();
    }
}
