//! The route pattern of a path, for logs, traces and limits. A log line has the pattern instead of
//! the path, because a path may contain anything.

use std::borrow::Cow;
use std::sync::Arc;

use kernel::PaymentProvider;
use runtime::Revised;

use crate::procedures::Procedures;
use crate::web_files::{DESK, WebFiles, is_desk_screen, review_id, service_id};

/// The paths of health probes.
pub(crate) const PROBES: &[&str] = &["/livez", "/readyz", "/healthz"];
/// Upload of a picture for a review.
pub(crate) const UPLOAD: &str = "/uploads/reviews";
/// The payment provider's webhooks; no other path accepts webhooks.
pub(crate) const WEBHOOK: &str = PaymentProvider::FIRST.webhook_path;
/// Return address of the payment provider's checkout.
pub(crate) const PAY_RETURN: &str = "/pay/return";
/// Return address of the page of a payment link.
pub(crate) const LINK_RETURN: &str = "/pay/link-return";
/// Reports of violations of the booking document's policy.
pub(crate) const POLICY_REPORTS: &str = "/policy-reports";
/// The unsubscribe link of mails: a page for people, and a POST for mail programs.
pub(crate) const UNSUBSCRIBE: &str = "/unsubscribe";
/// Folder of the secret addresses of practitioners' sessions.
pub(crate) const CALENDARS: &str = "/calendars/";
/// Folder of the pictures of reviews.
const PICTURES: &str = "/pictures/";
/// Folder of the practice's videos and their captions.
const MEDIA: &str = "/media/";
/// Longer paths are truncated in the log.
const READABLE_CHARS_MAX: usize = 80;
/// Longer parts of a path are not in the log: the secret of an address that was typed or copied
/// wrongly has more.
const PART_BYTES_MAX: usize = 24;

/// The gateway's routes.
#[derive(Debug)]
pub(crate) struct Routes {
    pub(crate) procedures: Arc<Procedures>,
    pub(crate) site: Revised<WebFiles>,
}

impl Routes {
    pub(crate) fn pattern_of(&self, path: &str) -> Cow<'static, str> {
        if let Some(call) = path.strip_prefix("/rpc") {
            let known = self.procedures.get(call);
            return known.map_or(Cow::Borrowed("/rpc/{unknown}"), |known| {
                Cow::Owned(format!("/rpc{}", known.spec.procedure))
            });
        }
        if let Some(probe) = PROBES.iter().find(|probe| **probe == path) {
            return Cow::Borrowed(probe);
        }
        if path.starts_with("/auth/v1/") {
            return Cow::Borrowed("/auth/v1/{endpoint}");
        }
        if let Some(own) = [UPLOAD, UNSUBSCRIBE, WEBHOOK, PAY_RETURN, LINK_RETURN, POLICY_REPORTS]
            .into_iter()
            .find(|own| *own == path)
        {
            return Cow::Borrowed(own);
        }
        if path.starts_with(CALENDARS) {
            return Cow::Borrowed("/calendars/{secret}");
        }
        if path.starts_with(PICTURES) {
            return Cow::Borrowed("/pictures/{name}");
        }
        if review_id(path).is_some() {
            return Cow::Borrowed("/reviews/{id}");
        }
        if service_id(path).is_some() {
            return Cow::Borrowed("/service/{id}");
        }
        if is_desk_screen(path) {
            return Cow::Borrowed(DESK);
        }
        let site = self.site.get();
        if site.page(path).is_some() {
            return Cow::Owned(path.to_owned());
        }
        match site.file(path) {
            Some(_) if path.starts_with("/assets/") => Cow::Borrowed("/assets/{file}"),
            Some(_) if path.starts_with(MEDIA) => Cow::Borrowed("/media/{file}"),
            // One file has many escaped paths.
            Some(_) if path.contains('%') => Cow::Borrowed("{file}"),
            Some(_) => Cow::Owned(path.to_owned()),
            None => Cow::Borrowed("{unknown}"),
        }
    }

    /// Whether requests count for the rate limit of their address. Exempt are probes; webhooks,
    /// which a provider sends in bursts (rejected ones have their own limit); assets, of which one
    /// page needs many; media, which are played in many ranges; and pictures, which have a wider
    /// limit of their own.
    pub(crate) fn is_limited(path: &str) -> bool {
        let free = ["/assets/", MEDIA, PICTURES];
        path != WEBHOOK
            && !PROBES.contains(&path)
            && !free.iter().any(|folder| path.starts_with(folder))
    }
}

/// A path that is safe to log: short, with plain characters only, and without what may be a secret.
pub(crate) fn sanitized_path(path: &str) -> String {
    let plain = |char: char| match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '/' | '-' | '_' | '.' => char,
        _ => '_',
    };
    let parts = path.split('/').map(|part| if part.len() > PART_BYTES_MAX { "..." } else { part });
    let shown = parts.collect::<Vec<_>>().join("/");
    shown.chars().take(READABLE_CHARS_MAX).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::sanitized_path;

    #[test]
    fn a_path_in_the_log_is_short_and_plain() {
        assert_eq!(sanitized_path("/about/us"), "/about/us");
        assert_eq!(sanitized_path("/a\nb@c%20d<script>"), "/a_b_c_20d_script_");
        assert_eq!(sanitized_path(&"/x".repeat(100)).len(), 80);
    }

    #[test]
    fn a_secret_of_a_wrong_address_is_not_in_the_log() {
        let secret = "aZ-_09".repeat(8)[..43].to_owned();
        for (path, logged) in [
            (format!("/calendar/{secret}.ics"), "/calendar/..."),
            (format!("//calendars/{secret}.ics/"), "//calendars/.../"),
            (format!("/join/key={secret}"), "/join/..."),
        ] {
            assert_eq!(sanitized_path(&path), logged);
        }
    }
}
