//! The security headers of every response. A content security policy binds to the document, so only
//! the booking document may load the payment provider's checkout, which uses inline styles; all
//! other pages load our own files only. Only the widget's document may be framed, by the origins
//! that the practice lists.

pub(crate) mod reports;

use std::sync::{Arc, PoisonError, RwLock};

use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};

use crate::routes::POLICY_REPORTS;
use crate::web_files::csp::CspSources;

const COOP: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CORP: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// Two years, as preload lists require.
const HSTS: &str = "max-age=63072000; includeSubDomains; preload";

/// Device features that no page of ours uses.
const DISABLED_FEATURES: &[&str] = &[
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "encrypted-media",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
];

/// What only the checkout's frames on the booking document use. Cards are not scanned with the
/// camera.
const PAYMENT: &str = "payment";

/// Passkeys are added and used on our own pages only.
const PASSKEY_CREATE: &str = "publickey-credentials-create";

/// Our own pages sign in with a passkey; in the checkout's frames, banks ask for one, too.
const PASSKEY_GET: &str = "publickey-credentials-get";

/// The kind of a response that selects its policy; a handler sets it if it is not ordinary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Document {
    /// Anything that runs only our own files.
    #[default]
    Ordinary,
    /// The booking document.
    Booking,
    /// An uploaded picture, with a stricter policy of its own.
    Picture,
    /// A file that other sites may load: a picture in previews of shared links, or the script that
    /// puts the widget on their pages.
    Shared,
    /// The document of the widget, which the listed origins may frame.
    Widget,
}

/// Input of the policies.
pub(crate) struct PolicyParts<'a> {
    /// Hashes and origins that the build needs besides our own files.
    pub(crate) allowed: &'a CspSources,
    /// Origins that the booking document may use.
    pub(crate) checkout_origins: &'a [String],
    /// Whether the site is served over https.
    pub(crate) https: bool,
}

/// The headers of ordinary responses, of the booking document and of the widget, built once.
pub(crate) struct Policies {
    ordinary: Vec<(HeaderName, HeaderValue)>,
    booking: Vec<(HeaderName, HeaderValue)>,
    widget_policy: HeaderValue,
}

/// The policies of the site as it is now.
pub(crate) struct CurrentPolicies(RwLock<Arc<Policies>>);

impl CurrentPolicies {
    pub(crate) fn new(first: Policies) -> Self {
        Self(RwLock::new(Arc::new(first)))
    }

    /// Those of a new revision.
    pub(crate) fn set(&self, next: Policies) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }

    /// Sets the headers of a response.
    pub(crate) fn apply(&self, answer: &mut HeaderMap, document: Document) {
        let policies = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        policies.apply(answer, document);
    }
}

impl Policies {
    pub(crate) fn new(parts: &PolicyParts<'_>) -> Result<Self, http::header::InvalidHeaderValue> {
        Ok(Self {
            ordinary: headers(parts, false)?,
            booking: headers(parts, true)?,
            widget_policy: widget_policy(parts).parse()?,
        })
    }

    /// Sets the headers. Values that the response already had are replaced, except a picture's
    /// content policy.
    pub(crate) fn apply(&self, answer: &mut HeaderMap, document: Document) {
        let booking = document == Document::Booking;
        let own = answer.get(CONTENT_SECURITY_POLICY).cloned();
        for (name, value) in if booking { &self.booking } else { &self.ordinary } {
            answer.insert(name, value.clone());
        }
        if let (Document::Picture, Some(own)) = (document, own) {
            answer.insert(CONTENT_SECURITY_POLICY, own);
        }
        if document == Document::Widget {
            answer.insert(CONTENT_SECURITY_POLICY, self.widget_policy.clone());
        }
        // A page with a cross-origin embedder policy frames only what says this as well.
        if matches!(document, Document::Shared | Document::Widget) {
            answer.insert(CORP, HeaderValue::from_static("cross-origin"));
        }
    }
}

fn headers(
    parts: &PolicyParts<'_>,
    booking: bool,
) -> Result<Vec<(HeaderName, HeaderValue)>, http::header::InvalidHeaderValue> {
    let origins = if booking { parts.checkout_origins } else { &[] };
    // Banks open popups from the checkout.
    let opener = if booking { "same-origin-allow-popups" } else { "same-origin" };
    let mut headers = vec![
        (CONTENT_SECURITY_POLICY, content_policy(parts, origins).parse()?),
        (COOP, HeaderValue::from_static(opener)),
        (CORP, HeaderValue::from_static("same-origin")),
        (PERMISSIONS, permissions(origins).parse()?),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    if parts.https {
        headers.push((STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS)));
    }
    Ok(headers)
}

fn content_policy(parts: &PolicyParts<'_>, origins: &[String]) -> String {
    let hashes: Vec<_> =
        parts.allowed.script_hashes.iter().map(|hash| format!("'{hash}'")).collect();
    let inline = ["'unsafe-inline'".to_owned()];
    // Only ordinary pages show media and images of other origins; the booking document does not.
    let (media, images) = if origins.is_empty() {
        (parts.allowed.media_origins.as_slice(), parts.allowed.image_origins.as_slice())
    } else {
        (&[] as &[String], origins)
    };
    let with = |start: &str, more: &[String]| {
        let more = more.iter().map(String::as_str);
        std::iter::once(start).chain(more).collect::<Vec<_>>().join(" ")
    };
    // The provider's frame is placed over its backdrop by a style attribute, and animated by a
    // style element. If both are blocked, the backdrop takes every click and no payment works.
    let styles: &[String] = if origins.is_empty() { &[] } else { inline.as_slice() };
    let mut directives = vec![
        "default-src 'none'".to_owned(),
        with(&with("script-src 'self'", &hashes), origins),
        with("style-src 'self'", styles),
        with("img-src 'self' data:", images),
        with("media-src 'self'", media),
        "font-src 'self'".to_owned(),
        with("connect-src 'self'", origins),
        "manifest-src 'self'".to_owned(),
        "object-src 'none'".to_owned(),
        "base-uri 'none'".to_owned(),
        with("form-action 'self'", origins),
        "frame-ancestors 'none'".to_owned(),
    ];
    if !origins.is_empty() {
        directives.push(with("frame-src", origins));
        // A newer checkout may need more; only reports would show that.
        directives.push(format!("report-uri {POLICY_REPORTS}"));
    } else if !parts.allowed.frame_origins.is_empty() {
        // /book shows the scheduling provider's widget, and is reached without a new document.
        directives.push(with("frame-src", &parts.allowed.frame_origins));
    }
    if parts.https {
        directives.push("upgrade-insecure-requests".to_owned());
    }
    directives.join("; ")
}

/// The widget needs no picture, font or form, and no inline script. Without a list of origins no
/// page frames it, not even one of ours.
fn widget_policy(parts: &PolicyParts<'_>) -> String {
    let ancestors = &parts.allowed.frame_ancestors;
    let ancestors = if ancestors.is_empty() { "'none'".to_owned() } else { ancestors.join(" ") };
    let mut policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
         frame-ancestors {ancestors}"
    );
    if parts.https {
        policy.push_str("; upgrade-insecure-requests");
    }
    policy
}

fn permissions(origins: &[String]) -> String {
    let quoted: Vec<_> = origins.iter().map(|origin| format!(" \"{origin}\"")).collect();
    let with_frames = format!("(self{})", quoted.concat());
    let payment = if origins.is_empty() { "()" } else { with_frames.as_str() };
    let off = DISABLED_FEATURES.iter().map(|feature| format!("{feature}=()"));
    let allowed = [
        format!("{PAYMENT}={payment}"),
        format!("{PASSKEY_CREATE}=(self)"),
        format!("{PASSKEY_GET}={with_frames}"),
    ];
    off.chain(allowed).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
