//! The pattern that a path belongs to, for logs, traces and limits. A log line names the pattern
//! and not the path, because anything can stand in a path.

use std::borrow::Cow;
use std::sync::Arc;

use crate::booking_links::booking_link;
use crate::procedures::Procedures;
use crate::web_files::{WebFiles, review_id, service_id};

/// The paths for probes.
pub(crate) const PROBES: &[&str] = &["/livez", "/readyz", "/healthz"];
/// Where the picture of a review that is being written is sent to.
pub(crate) const UPLOAD: &str = "/uploads/reviews";
/// Where the payment provider's webhooks arrive; there is no other path for any.
pub(crate) const WEBHOOK: &str = "/webhooks/razorpay";
/// Where the payment provider's checkout sends payers back to.
pub(crate) const PAY_RETURN: &str = "/pay/return";
/// Where browsers say what the booking document's policy has refused.
pub(crate) const POLICY_REPORTS: &str = "/policy-reports";
/// Where a mail's link ends mails: a page for people, and a POST for mail programs.
pub(crate) const UNSUBSCRIBE: &str = "/unsubscribe";
/// Below this the pictures of reviews are.
const PICTURES: &str = "/pictures/";
/// Below this are the practice's videos and what belongs to them.
const MEDIA: &str = "/media/";
/// Longer paths are cut in the log.
const READABLE_CHARS_MAX: usize = 80;

/// What the gateway answers at.
#[derive(Debug)]
pub(crate) struct Routes {
    pub(crate) procedures: Arc<Procedures>,
    pub(crate) site: Arc<WebFiles>,
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
        if let Some(own) = [UPLOAD, UNSUBSCRIBE, WEBHOOK, PAY_RETURN, POLICY_REPORTS]
            .into_iter()
            .find(|own| *own == path)
        {
            return Cow::Borrowed(own);
        }
        if let Some(link) = booking_link(path) {
            return Cow::Borrowed(link);
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
        if self.site.page(path).is_some() {
            return Cow::Owned(path.to_owned());
        }
        match self.site.file(path) {
            Some(_) if path.starts_with("/assets/") => Cow::Borrowed("/assets/{file}"),
            Some(_) if path.starts_with(MEDIA) => Cow::Borrowed("/media/{file}"),
            // One file has many escaped names.
            Some(_) if path.contains('%') => Cow::Borrowed("{file}"),
            Some(_) => Cow::Owned(path.to_owned()),
            None => Cow::Borrowed("{unknown}"),
        }
    }

    /// Whether requests are counted against their network address. Probes are not, nor webhooks,
    /// which a provider sends in bursts (those that are refused are), nor assets, of which one page
    /// needs many, nor media, which are played in many parts; nor pictures, which have a wider
    /// limit of their own.
    pub(crate) fn is_limited(path: &str) -> bool {
        let free = ["/assets/", MEDIA, PICTURES];
        path != WEBHOOK
            && !PROBES.contains(&path)
            && !free.iter().any(|folder| path.starts_with(folder))
    }
}

/// A path as it may stand in a log: short, and without anything but plain characters.
pub(crate) fn sanitized_path(path: &str) -> String {
    let plain = |char: char| match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '/' | '-' | '_' | '.' => char,
        _ => '_',
    };
    path.chars().take(READABLE_CHARS_MAX).map(plain).collect()
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
}
