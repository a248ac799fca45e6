//! A software authenticator with the page that uses it: what a browser sends after
//! `navigator.credentials.create()` and `.get()`. Each of its parts can be made wrong.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const CREDENTIAL_DATA: u8 = 0x40;

/// One authenticator with one credential.
#[derive(Clone)]
pub(crate) struct Authenticator {
    key: SigningKey,
    credential_id: Vec<u8>,
    /// The page's origin.
    pub(crate) origin: String,
    /// The site whose hash it signs; by default the one that it is asked for.
    pub(crate) rp_id: Option<String>,
    /// The number of signatures.
    pub(crate) counter: u32,
    /// Whether it does not count: then it says 0.
    pub(crate) uncounted: bool,
    pub(crate) user_present: bool,
    pub(crate) user_verified: bool,
    /// The challenge that it signs; by default the one that it is asked for.
    pub(crate) challenge: Option<String>,
    /// What it says of its owner; by default what it was told at registration.
    pub(crate) user_handle: Option<String>,
}

impl Authenticator {
    pub(crate) fn at(origin: &str) -> Self {
        Self {
            key: SigningKey::from_slice(&rand::random::<[u8; 32]>()).unwrap(),
            credential_id: rand::random::<[u8; 32]>().to_vec(),
            origin: origin.to_owned(),
            rp_id: None,
            counter: 0,
            uncounted: false,
            user_present: true,
            user_verified: true,
            challenge: None,
            user_handle: None,
        }
    }

    /// The same credential signed by another key, as if it were stolen without its key.
    pub(crate) fn forged(&self) -> Self {
        let key = SigningKey::from_slice(&rand::random::<[u8; 32]>()).unwrap();
        Self { key, ..self.clone() }
    }

    /// Another credential of the same owner, which no server knows.
    pub(crate) fn unknown(&self) -> Self {
        Self { credential_id: rand::random::<[u8; 32]>().to_vec(), ..self.clone() }
    }

    /// The answer to the options of a registration, in the full form of the standard.
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        let rp_id = options["rp"]["id"].as_str().unwrap().to_owned();
        self.user_handle = options["user"]["id"].as_str().map(str::to_owned);
        let public = self.key.verifying_key().to_encoded_point(false);
        let (x, y) = (public.x().unwrap(), public.y().unwrap());
        // COSE: EC2, ES256, P-256.
        let mut key = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        key.extend_from_slice(x);
        key.extend([0x22, 0x58, 0x20]);
        key.extend_from_slice(y);
        let mut data = self.data(&rp_id, CREDENTIAL_DATA);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential_id.len()).unwrap().to_be_bytes());
        data.extend(&self.credential_id);
        data.extend(key);
        let mut attestation = vec![0xa3];
        attestation.extend(text("fmt"));
        attestation.extend(text("none"));
        attestation.extend(text("attStmt"));
        attestation.push(0xa0);
        attestation.extend(text("authData"));
        attestation.push(0x58);
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(&data);
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        json!({
            "id": URL_SAFE_NO_PAD.encode(&self.credential_id),
            "rawId": URL_SAFE_NO_PAD.encode(&self.credential_id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "attestationObject": URL_SAFE_NO_PAD.encode(attestation),
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "transports": ["internal", "hybrid"],
            },
        })
    }

    /// The answer to the options of a sign-in or of a second factor.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        self.counter = if self.uncounted { 0 } else { self.counter + 1 };
        let rp_id = options["rpId"].as_str().unwrap().to_owned();
        let data = self.data(&rp_id, 0);
        let client_data = self.client_data("webauthn.get", &options["challenge"]);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": URL_SAFE_NO_PAD.encode(&self.credential_id),
            "rawId": URL_SAFE_NO_PAD.encode(&self.credential_id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "authenticatorData": URL_SAFE_NO_PAD.encode(data),
                "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
                "signature": URL_SAFE_NO_PAD.encode(signature.to_der().as_bytes()),
                "userHandle": self.user_handle,
            },
        })
    }

    fn data(&self, rp_id: &str, more_flags: u8) -> Vec<u8> {
        let rp_id = self.rp_id.as_deref().unwrap_or(rp_id);
        let mut flags = more_flags;
        if self.user_present {
            flags |= USER_PRESENT;
        }
        if self.user_verified {
            flags |= USER_VERIFIED;
        }
        let mut data = Sha256::digest(rp_id).to_vec();
        data.push(flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> Vec<u8> {
        let challenge = self.challenge.as_deref().or(challenge.as_str()).unwrap();
        // Chrome adds such a field now and then, so that no server compares texts.
        let odd = "do not compare clientDataJSON against a template. See https://goo.gl/yabPex";
        let data = json!({
            "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false,
            "other_keys_can_be_added_here": odd,
        });
        data.to_string().into_bytes()
    }
}

/// A short text in CBOR.
fn text(text: &str) -> Vec<u8> {
    let mut coded = vec![0x60 | u8::try_from(text.len()).unwrap()];
    coded.extend(text.as_bytes());
    coded
}

/// The same answer as the client library writes it where a browser has no `toJSON`.
pub(crate) fn short_form(answer: &Value) -> Value {
    let mut short = answer.clone();
    short["response"].as_object_mut().unwrap().remove("transports");
    short.as_object_mut().unwrap().remove("authenticatorAttachment");
    short
}
