//! The tokens of a session, and what the access token says of itself.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The methods of second factors in the claim `amr`.
const SECOND_FACTORS: [&str; 5] =
    ["totp", "passkey", "mfa/webauthn", "mfa/phone", "mfa/recovery_code"];
/// How long staff calls accept a second factor, less the time that a command may take.
const KEPT_SECONDS: i64 = 12 * 3600 - 600;

/// The tokens of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    /// What calls are made with.
    pub(crate) access_token: String,
    /// What gets the next access token.
    #[serde(default)]
    pub(crate) refresh_token: String,
    /// The account's authenticator app, if it has one.
    #[serde(default)]
    pub(crate) app_id: Option<String>,
}

impl Tokens {
    /// Reads an answer that opens or continues a session.
    pub(crate) fn read(session: &Value) -> Option<Self> {
        let is_app =
            |it: &&Value| it["factor_type"] == "totp" && it["status"].as_str() == Some("verified");
        let mut factors = session["user"]["factors"].as_array().into_iter().flatten();
        Some(Self {
            access_token: session["access_token"].as_str()?.to_owned(),
            refresh_token: session["refresh_token"].as_str().unwrap_or_default().to_owned(),
            app_id: factors.find(is_app).and_then(|app| app["id"].as_str()).map(str::to_owned),
        })
    }

    /// The time of the identity service when it issued the access token.
    pub(crate) fn issued_at(&self) -> Option<i64> {
        self.claims()["iat"].as_i64()
    }

    /// Whether calls can be made for another minute, by a clock of this machine.
    pub(crate) fn lasts(&self, now: i64) -> bool {
        self.claims()["exp"].as_i64().is_some_and(|ends_at| ends_at > now + 60)
    }

    /// Whether staff calls still accept the session's second factor at this time.
    pub(crate) fn is_strong(&self, now: i64) -> bool {
        self.second_factor_at().is_some_and(|at| now - at < KEPT_SECONDS)
    }

    /// When the session's second factor was shown last.
    pub(crate) fn second_factor_at(&self) -> Option<i64> {
        let claims = self.claims();
        if claims["aal"] != "aal2" {
            return None;
        }
        let proofs = claims["amr"].as_array().into_iter().flatten();
        proofs
            .filter(|proof| SECOND_FACTORS.iter().any(|method| proof["method"] == **method))
            .filter_map(|proof| proof["timestamp"].as_i64())
            .max()
    }

    /// The access token's claims, which its issuer has signed and we only look at.
    fn claims(&self) -> Value {
        let payload = self.access_token.split('.').nth(1).unwrap_or_default();
        let bytes = URL_SAFE_NO_PAD.decode(payload).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// Tokens whose access token has these claims.
    pub(crate) fn with_claims(claims: &Value) -> Tokens {
        let payload = URL_SAFE_NO_PAD.encode(claims.to_string());
        Tokens { access_token: format!("head.{payload}.signature"), ..Tokens::default() }
    }

    #[test]
    fn a_session_is_kept_as_long_as_its_second_factor_counts() {
        let of = |aal: &str, method: &str| {
            let amr = json!([
                { "method": "password", "timestamp": 90_000 },
                { "method": method, "timestamp": 50_000 },
            ]);
            with_claims(&json!({ "aal": aal, "amr": amr, "iat": 1, "exp": 1000 }))
        };
        let strong = of("aal2", "totp");
        assert_eq!(strong.second_factor_at(), Some(50_000));
        assert!(strong.is_strong(50_000 + KEPT_SECONDS - 1));
        assert!(!strong.is_strong(50_000 + KEPT_SECONDS));
        assert!(strong.lasts(939) && !strong.lasts(940));
        for weak in [of("aal1", "totp"), of("aal2", "otp"), Tokens::default()] {
            assert!(!weak.is_strong(50_000));
        }
    }

    #[test]
    fn a_session_is_read_with_the_app_of_its_account() {
        let session = json!({
            "access_token": "one", "refresh_token": "two",
            "user": { "factors": [
                { "id": "begun", "factor_type": "totp", "status": "unverified" },
                { "id": "phone", "factor_type": "phone", "status": "verified" },
                { "id": "app", "factor_type": "totp", "status": "verified" },
            ] },
        });
        let tokens = Tokens::read(&session).unwrap();
        assert_eq!((&*tokens.refresh_token, tokens.app_id.as_deref()), ("two", Some("app")));
        assert_eq!(Tokens::read(&json!({ "error": "no" })), None);
    }
}
