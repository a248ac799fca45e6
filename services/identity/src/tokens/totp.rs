//! Codes of authenticator apps (RFC 6238): SHA-1, six digits, 30 seconds, one step of clock skew in
//! each direction, as the contract has it.

use data_encoding::BASE32_NOPAD;
use qrcode::render::svg;
use qrcode::types::QrError;
use qrcode::{EcLevel, QrCode};
use ring::hmac::{self, HMAC_SHA1_FOR_LEGACY_USE_ONLY};
use url::form_urlencoded;

use crate::tokens::secrets::constant_time_eq;

/// Bytes of a secret, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
const STEP_SECONDS: i64 = 30;
/// Steps before and after the current one whose codes are accepted.
const SKEW: i64 = 1;
const DIGITS: usize = 6;

/// A new random secret.
#[must_use]
pub fn new_secret() -> [u8; SECRET_BYTES] {
    rand::random()
}

/// A secret as people type it.
#[must_use]
pub fn text(secret: &[u8]) -> String {
    BASE32_NOPAD.encode(secret)
}

/// The code of a time step.
#[must_use]
pub fn code(secret: &[u8], step: i64) -> String {
    let key = hmac::Key::new(HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let mac = tag.as_ref();
    let offset = usize::from(mac.last().copied().unwrap_or_default() & 0x0f);
    let word = mac.iter().skip(offset).take(4).fold(0_u32, |n, byte| (n << 8) | u32::from(*byte));
    format!("{:06}", (word & 0x7fff_ffff) % 1_000_000)
}

/// The time step of a code that is right now. Steps up to `used` are not accepted again: a code
/// that was seen over a shoulder is worth nothing.
#[must_use]
pub fn matching_step(secret: &[u8], typed: &str, seconds: i64, used: Option<i64>) -> Option<i64> {
    let typed = kernel::typed::digits(typed);
    let current = seconds.div_euclid(STEP_SECONDS);
    let mut found = None;
    // All steps are compared, so that the time tells nothing.
    for step in current - SKEW..=current + SKEW {
        let is_right = constant_time_eq(code(secret, step).as_bytes(), typed.as_bytes());
        if is_right && typed.len() == DIGITS && used.is_none_or(|used| step > used) {
            found = found.or(Some(step));
        }
    }
    found
}

/// The address that authenticator apps read.
#[must_use]
pub fn uri(issuer: &str, account: &str, secret: &[u8]) -> String {
    let label = |text: &str| -> String {
        form_urlencoded::byte_serialize(text.replace(':', " ").as_bytes())
            .collect::<String>()
            .replace('+', "%20")
    };
    let (issuer, account, secret) = (label(issuer), label(account), text(secret));
    format!(
        "otpauth://totp/{issuer}:{account}\
         ?algorithm=SHA1&digits=6&issuer={issuer}&period=30&secret={secret}"
    )
}

/// The address as a QR code. It has no `#`, which would end the data URL that the client library
/// makes of it.
///
/// # Errors
/// When the address is too long for a QR code.
pub fn qr_svg(uri: &str) -> Result<String, QrError> {
    let code = QrCode::with_error_correction_level(uri.as_bytes(), EcLevel::M)?;
    let drawing = code
        .render::<svg::Color<'_>>()
        .min_dimensions(192, 192)
        .dark_color(svg::Color("black"))
        .light_color(svg::Color("white"))
        .build();
    Ok(drawing)
}

#[cfg(test)]
mod tests {
    use super::{code, matching_step, qr_svg, uri};

    /// The secret of RFC 6238, appendix B.
    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_standard() {
        // The last six of its eight digits.
        for (seconds, digits) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(code(SECRET, seconds / 30), digits, "{seconds}");
            assert_eq!(matching_step(SECRET, digits, seconds, None), Some(seconds / 30));
        }
    }

    #[test]
    fn a_code_is_accepted_one_step_early_and_late_and_once() {
        let (now, step) = (1_111_111_109, 1_111_111_109 / 30);
        let accepted = |typed_at: i64, used| {
            matching_step(SECRET, &code(SECRET, step + typed_at), now, used).map(|it| it - step)
        };
        assert_eq!(
            [-2, -1, 0, 1, 2].map(|at| accepted(at, None)),
            [None, Some(-1), Some(0), Some(1), None]
        );
        assert_eq!(accepted(0, Some(step)), None, "a step is used once");
        assert_eq!(accepted(-1, Some(step)), None, "and none before it");
        assert_eq!(accepted(1, Some(step)), Some(1));
        let right = code(SECRET, step);
        assert_eq!(matching_step(SECRET, &format!(" {right}\n"), now, None), Some(step));
        let wide = |c: char| char::from_u32(u32::from(c) - 0x30 + 0xff10).unwrap();
        let wide: String = right.chars().map(wide).collect();
        assert_eq!(matching_step(SECRET, &wide, now, None), Some(step));
        for wrong in ["", "000000", right.get(1..).unwrap(), &format!("{right}0")] {
            assert_eq!(matching_step(SECRET, wrong, now, None), None, "{wrong}");
        }
    }

    #[test]
    fn apps_read_the_address() {
        assert_eq!(
            uri("sukoon.example", "asha+1@example.test", b"12345678901234567890"),
            "otpauth://totp/sukoon.example:asha%2B1%40example.test?algorithm=SHA1&digits=6\
             &issuer=sukoon.example&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        );
        let svg = qr_svg(&uri("sukoon.example", "asha@example.test", SECRET)).unwrap();
        assert!(svg.contains("<svg ") && svg.ends_with("</svg>") && !svg.contains('#'), "{svg}");
    }
}
