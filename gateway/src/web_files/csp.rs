//! What the content policy has to allow for the pages of this build, from its csp.json.

use serde::Deserialize;

use crate::web_files::error::SiteError;

/// Sources that the content policy has to allow for these pages, in csp.json.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CspFile {
    script_hashes: Vec<String>,
    #[serde(default)]
    media_origins: Vec<String>,
    #[serde(default)]
    image_origins: Vec<String>,
    #[serde(default)]
    frame_ancestors: Vec<String>,
    #[serde(default)]
    frame_origins: Vec<String>,
}

/// The same, validated.
#[derive(Debug, Default)]
pub(crate) struct CspSources {
    /// `sha256-…` of inline scripts in the pages.
    pub(crate) script_hashes: Vec<String>,
    /// Origins of the practice's external videos and captions.
    pub(crate) media_origins: Vec<String>,
    /// Origins of the practice's external pictures.
    pub(crate) image_origins: Vec<String>,
    /// Origins of the sites that may frame the widget.
    pub(crate) frame_ancestors: Vec<String>,
    /// Origins of the scheduling provider's widgets, which our pages frame.
    pub(crate) frame_origins: Vec<String>,
}

/// Validates hashes (quotes are removed) and origins: they become part of a header, so nothing else
/// may be in them.
pub(crate) fn validate(list: CspFile) -> Result<CspSources, SiteError> {
    let malformed = || SiteError::Malformed { name: "csp.json", source: None };
    let mut origins = list.media_origins.iter().chain(&list.image_origins);
    if !origins.all(|origin| is_secure_origin(origin)) {
        return Err(malformed());
    }
    let mut framed = list.frame_ancestors.iter().chain(&list.frame_origins);
    if !framed.all(|origin| is_secure_origin(origin) || is_local(origin)) {
        return Err(malformed());
    }
    let hashes = list.script_hashes.iter().map(|hash| hash.trim_matches('\'').to_owned());
    let script_hashes: Vec<_> = hashes.collect();
    if !script_hashes.iter().all(|hash| is_script_hash(hash)) {
        return Err(malformed());
    }
    let CspFile { media_origins, image_origins, frame_ancestors, frame_origins, .. } = list;
    Ok(CspSources { script_hashes, media_origins, image_origins, frame_ancestors, frame_origins })
}

fn is_script_hash(hash: &str) -> bool {
    let digest = hash.strip_prefix("sha256-").or_else(|| hash.strip_prefix("sha384-"));
    digest.is_some_and(|digest| {
        let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        !digest.is_empty() && digest.bytes().all(base64)
    })
}

/// One host over https, without a wildcard; it is taken from a URL in the practice's files.
fn is_secure_origin(origin: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let host = origin.strip_prefix("https://");
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(plain))
}

/// A site on the same machine, while it is being made.
fn is_local(origin: &str) -> bool {
    let Some(authority) = origin.strip_prefix("http://") else { return false };
    let (host, port) = authority.split_once(':').unwrap_or((authority, "80"));
    matches!(host, "localhost" | "127.0.0.1") && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::{CspFile, validate};
    use crate::web_files::error::SiteError;

    fn listed(hash: &str, media: &str, image: &str) -> CspFile {
        CspFile {
            script_hashes: vec![hash.to_owned()],
            media_origins: vec![media.to_owned()],
            image_origins: vec![image.to_owned()],
            frame_ancestors: Vec::new(),
            frame_origins: Vec::new(),
        }
    }

    fn framed_by(origin: &str) -> CspFile {
        CspFile { frame_ancestors: vec![origin.to_owned()], ..listed(HASH, MEDIA, IMAGES) }
    }

    const HASH: &str = "'sha256-ab+/='";
    const MEDIA: &str = "https://media.example:8443";
    const IMAGES: &str = "https://images.example";

    #[test]
    fn hashes_and_origins_are_taken_over() {
        let allowed = validate(listed(HASH, MEDIA, IMAGES)).unwrap();
        assert_eq!(allowed.script_hashes, ["sha256-ab+/="]);
        assert_eq!(
            (allowed.media_origins, allowed.image_origins),
            (vec![MEDIA.to_owned()], vec![IMAGES.to_owned()],)
        );
    }

    #[test]
    fn a_hash_cannot_smuggle_a_directive() {
        for wrong in ["sha256-a' 'unsafe-inline", "unsafe-inline", "sha256-", "sha256-a; img-src *"]
        {
            let checked = validate(listed(wrong, MEDIA, IMAGES));
            assert!(matches!(checked, Err(SiteError::Malformed { .. })), "{wrong}");
        }
    }

    #[test]
    fn an_origin_cannot_smuggle_a_directive_or_allow_more_than_one_host() {
        for wrong in [
            "https://a; script-src *",
            "'unsafe-inline'",
            "https://*.example",
            "https://",
            "https://a/b",
            "http://a.example",
            "*",
            "",
        ] {
            for list in [listed(HASH, wrong, IMAGES), listed(HASH, MEDIA, wrong)] {
                assert!(matches!(validate(list), Err(SiteError::Malformed { .. })), "{wrong}");
            }
        }
    }

    #[test]
    fn only_an_origin_may_frame_the_widget() {
        for good in ["https://site.example", "http://localhost:8081", "http://127.0.0.1:8081"] {
            assert_eq!(validate(framed_by(good)).unwrap().frame_ancestors, [good]);
        }
        for wrong in [
            "*",
            "https:",
            "https://*.example",
            "http://site.example",
            "http://localhost.example",
            "http://localhost:8081; script-src *",
            "https://site.example 'self'",
            "",
        ] {
            let checked = validate(framed_by(wrong));
            assert!(matches!(checked, Err(SiteError::Malformed { .. })), "{wrong}");
            let frames = vec![wrong.to_owned()];
            let checked =
                validate(CspFile { frame_origins: frames, ..listed(HASH, MEDIA, IMAGES) });
            assert!(matches!(checked, Err(SiteError::Malformed { .. })), "{wrong}");
        }
    }

    #[test]
    fn older_builds_name_no_origins() {
        let list = serde_json::from_str(r#"{"scriptHashes": ["sha256-ab"]}"#).unwrap();
        let allowed = validate(list).unwrap();
        assert!(allowed.media_origins.is_empty() && allowed.image_origins.is_empty());
        assert!(allowed.frame_ancestors.is_empty() && allowed.frame_origins.is_empty());
    }
}
