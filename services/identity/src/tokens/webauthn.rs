//! WebAuthn ceremonies of this site: passkeys, and security keys as second factors.
//!
//! The library keeps its state in the challenge's row and its credentials in their rows, in its own
//! binary format. Attestation is not asked for: which make an authenticator is says nothing here.

use serde_json::Value;
use url::{Host, Url};
use uuid::Uuid;
use webauthn_rp::bin::{Decode as _, Encode as _};
use webauthn_rp::request::auth::{
    AllowedCredential, AllowedCredentials, AuthenticationVerificationOptions,
    DiscoverableAuthenticationServerState, DiscoverableCredentialRequestOptions,
    NonDiscoverableAuthenticationServerState, NonDiscoverableCredentialRequestOptions,
    SignatureCounterEnforcement,
};
use webauthn_rp::request::register::{
    CredProtect, Nickname, PublicKeyCredentialCreationOptions, PublicKeyCredentialUserEntity,
    RegistrationServerState, RegistrationVerificationOptions, UserHandle16, Username,
};
use webauthn_rp::request::{
    AsciiDomain, Credentials as _, PublicKeyCredentialDescriptor, RpId, UserVerificationRequirement,
};
use webauthn_rp::response::auth::{DiscoverableAuthentication16, NonDiscoverableAuthentication16};
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};
use webauthn_rp::response::{AuthTransports, CredentialId, Origin};
use webauthn_rp::{AuthenticatedCredential, Registration};

/// Bytes of a credential's state.
const STATE_BYTES: usize = 7;

/// A credential's key as it is read from its row.
type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// Why a ceremony fails.
#[derive(Debug, thiserror::Error)]
pub enum WebAuthnError {
    /// The client's answer is not one of the standard's form.
    #[error("the credential response is malformed")]
    Malformed,
    /// The answer does not prove what it should. The reason is for logs.
    #[error("the credential response is refused: {0}")]
    Refused(String),
    /// A row or a setting cannot be used.
    #[error("{0} cannot be used for WebAuthn")]
    Unusable(&'static str),
}

/// A credential as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The authenticator's name for it.
    pub credential_id: Vec<u8>,
    /// Its public key with the extensions that apply to it.
    pub public_key: Vec<u8>,
    /// Signature counter, user verification, backup.
    pub state: Vec<u8>,
    /// How it can be reached, one bit each.
    pub transports: i16,
}

/// A ceremony that has begun.
#[derive(Debug)]
pub struct Ceremony {
    /// What the browser is asked, in the standard's JSON form.
    pub options: Value,
    /// What the server must know at its end.
    pub state: Vec<u8>,
}

/// The person who registers a credential.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The account; its 16 bytes are the user handle.
    pub user_id: Uuid,
    /// Its address.
    pub name: &'a str,
    /// The person's name; may be empty.
    pub display_name: &'a str,
}

/// What a credential is registered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To sign in by it alone: the authenticator keeps it and verifies its user.
    Passkey,
    /// As a second factor.
    Factor,
}

/// The site as authenticators know it.
#[derive(Debug)]
pub struct RelyingParty {
    rp_id: RpId,
    origins: Vec<AllowedOrigin>,
}

/// An origin whose pages may use the credentials.
#[derive(Debug)]
enum AllowedOrigin {
    Exactly(String),
    /// On the developer's machine, whatever the port.
    Localhost,
}

impl PartialEq<Origin<'_>> for AllowedOrigin {
    fn eq(&self, origin: &Origin<'_>) -> bool {
        match self {
            Self::Exactly(allowed) => origin.0 == allowed.as_str(),
            Self::Localhost => Url::parse(&origin.0).is_ok_and(|url| {
                url.scheme() == "http"
                    && url.host() == Some(Host::Domain("localhost"))
                    && url.origin().ascii_serialization() == origin.0
            }),
        }
    }
}

/// What a sign-in by a passkey claims, before it is verified.
pub struct PasskeyClaim {
    response: DiscoverableAuthentication16,
}

impl PasskeyClaim {
    /// Reads the client's answer.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn parse(response: &Value) -> Result<Self, WebAuthnError> {
        let response = DiscoverableAuthentication16::from_json_relaxed(&json_bytes(response)?)
            .map_err(|_malformed| WebAuthnError::Malformed)?;
        Ok(Self { response })
    }

    /// The credential that it names.
    #[must_use]
    pub fn credential_id(&self) -> Vec<u8> {
        self.response.raw_id().as_ref().to_vec()
    }

    /// The account that it names.
    #[must_use]
    pub fn user_id(&self) -> Uuid {
        let Ok(bytes) = self.response.response().user_handle().encode();
        Uuid::from_bytes(bytes)
    }
}

impl RelyingParty {
    /// The site at this address. On the developer's machine it is `localhost`, because
    /// authenticators know no IP addresses.
    ///
    /// # Errors
    /// When its host is no ASCII domain.
    pub fn new(site: &Url) -> Result<Self, WebAuthnError> {
        let is_loopback = match site.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let host = if is_loopback { "localhost" } else { site.host_str().unwrap_or_default() };
        let domain = AsciiDomain::try_from(host.to_owned())
            .map_err(|_invalid| WebAuthnError::Unusable("PUBLIC_URL"))?;
        let mut origins = vec![AllowedOrigin::Exactly(site.origin().ascii_serialization())];
        if is_loopback {
            origins.push(AllowedOrigin::Localhost);
        }
        Ok(Self { rp_id: RpId::Domain(domain), origins })
    }

    /// The site's name for authenticators: its host.
    #[must_use]
    pub fn id(&self) -> &str {
        self.rp_id.as_ref()
    }

    /// Asks for a new credential. An authenticator that has one of `known` refuses, so that none is
    /// overwritten.
    ///
    /// # Errors
    /// When a stored credential cannot be used.
    pub fn start_registration(
        &self,
        owner: Owner<'_>,
        known: &[Credential],
        purpose: Purpose,
    ) -> Result<Ceremony, WebAuthnError> {
        let handle = handle_of(owner.user_id);
        let known: Result<Vec<_>, _> = known.iter().map(descriptor).collect();
        // A name with characters that the standard does not allow is replaced, not refused.
        let name = Username::try_from(owner.name)
            .or_else(|_refused| Username::try_from("account"))
            .map_err(|_refused| WebAuthnError::Unusable("a name"))?;
        let display_name = Nickname::try_from(owner.display_name)
            .or_else(|_refused| Nickname::try_from(owner.name))
            .ok();
        let user = PublicKeyCredentialUserEntity { name, id: &handle, display_name };
        let mut asked = match purpose {
            Purpose::Passkey => {
                PublicKeyCredentialCreationOptions::passkey(&self.rp_id, user, known?)
            }
            Purpose::Factor => {
                PublicKeyCredentialCreationOptions::second_factor(&self.rp_id, user, known?)
            }
        };
        // Authenticators that do not know the extension would be refused by some browsers.
        asked.extensions.cred_protect = CredProtect::None;
        if purpose == Purpose::Factor {
            let user_verification = UserVerificationRequirement::Preferred;
            asked.authenticator_selection.user_verification = user_verification;
        }
        let (state, client) = asked.start_ceremony().map_err(refused)?;
        ceremony(&client, state.encode())
    }

    /// The credential of the client's answer.
    ///
    /// # Errors
    /// When the answer is malformed or does not fit what was asked.
    pub fn finish_registration(
        &self,
        state: &[u8],
        response: &Value,
    ) -> Result<Credential, WebAuthnError> {
        let response = Registration::from_json_relaxed(&json_bytes(response)?)
            .map_err(|_malformed| WebAuthnError::Malformed)?;
        let state = RegistrationServerState::<16>::decode(state)
            .map_err(|_malformed| WebAuthnError::Unusable("a challenge"))?;
        let options = RegistrationVerificationOptions::<AllowedOrigin, AllowedOrigin> {
            allowed_origins: &self.origins,
            allowed_top_origins: None,
            // Security keys send some that were not asked for.
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let made = state.verify(&self.rp_id, &response, &options).map_err(refused)?;
        let (Ok(public_key), Ok(state)) =
            (made.static_state().encode(), made.dynamic_state().encode());
        let Ok(transports) = made.transports().encode();
        Ok(Credential {
            credential_id: made.id().as_ref().to_vec(),
            public_key,
            state: state.to_vec(),
            transports: i16::from(transports),
        })
    }

    /// Asks for any passkey of this site.
    ///
    /// # Errors
    /// Never in practice: the options are fixed.
    pub fn start_sign_in(&self) -> Result<Ceremony, WebAuthnError> {
        let asked = DiscoverableCredentialRequestOptions::passkey(&self.rp_id);
        let (state, client) = asked.start_ceremony().map_err(refused)?;
        ceremony(&client, state.encode())
    }

    /// Verifies a sign-in, and returns the credential's new state.
    ///
    /// # Errors
    /// When the answer does not fit what was asked, or its user was not verified.
    pub fn finish_sign_in(
        &self,
        state: &[u8],
        claim: &PasskeyClaim,
        (user_id, credential): (Uuid, &Credential),
    ) -> Result<Signed, WebAuthnError> {
        let state = DiscoverableAuthenticationServerState::decode(state)
            .map_err(|_malformed| WebAuthnError::Unusable("a challenge"))?;
        let handle = handle_of(user_id);
        let mut known = authenticated(credential, &handle)?;
        let before = known.dynamic_state().sign_count;
        state
            .verify(&self.rp_id, &claim.response, &mut known, &self.assertion_options())
            .map_err(refused)?;
        Ok(Signed::of(&known.dynamic_state(), before))
    }

    /// Asks for one of these second factors.
    ///
    /// # Errors
    /// When there is none, or a stored credential cannot be used.
    pub fn start_factor(&self, credentials: &[Credential]) -> Result<Ceremony, WebAuthnError> {
        let mut allowed = AllowedCredentials::with_capacity(credentials.len());
        for credential in credentials {
            allowed.push(AllowedCredential::from(descriptor(credential)?));
        }
        let mut asked =
            NonDiscoverableCredentialRequestOptions::second_factor(&self.rp_id, allowed)
                .map_err(refused)?;
        asked.options().user_verification = UserVerificationRequirement::Preferred;
        let (state, client) = asked.start_ceremony().map_err(refused)?;
        ceremony(&client, state.encode())
    }

    /// Verifies a second factor, and returns the credential's new state.
    ///
    /// # Errors
    /// When the answer is malformed or does not fit what was asked.
    pub fn finish_factor(
        &self,
        state: &[u8],
        response: &Value,
        (user_id, credential): (Uuid, &Credential),
    ) -> Result<Signed, WebAuthnError> {
        let response = NonDiscoverableAuthentication16::from_json_relaxed(&json_bytes(response)?)
            .map_err(|_malformed| WebAuthnError::Malformed)?;
        let state = NonDiscoverableAuthenticationServerState::decode(state)
            .map_err(|_malformed| WebAuthnError::Unusable("a challenge"))?;
        let handle = handle_of(user_id);
        let mut known = authenticated(credential, &handle)?;
        let before = known.dynamic_state().sign_count;
        state
            .verify(&self.rp_id, &response, &mut known, &self.assertion_options())
            .map_err(refused)?;
        Ok(Signed::of(&known.dynamic_state(), before))
    }

    fn assertion_options(
        &self,
    ) -> AuthenticationVerificationOptions<'_, '_, AllowedOrigin, AllowedOrigin> {
        AuthenticationVerificationOptions {
            allowed_origins: &self.origins,
            error_on_unsolicited_extensions: false,
            // A signal and no wall: a passkey that was moved to another manager has another
            // counter from then on. The highest one is kept.
            sig_counter_enforcement: SignatureCounterEnforcement::Ignore,
            ..AuthenticationVerificationOptions::default()
        }
    }
}

/// A verified answer of a credential.
pub struct Signed {
    /// The credential's new state.
    pub state: Vec<u8>,
    /// Whether its counter did not go up, though it counts.
    pub counter_stood: bool,
}

impl Signed {
    fn of(state: &DynamicState, before: u32) -> Self {
        // What did not go up is ignored, so that the highest one stays.
        let counter_stood = before > 0 && state.sign_count == before;
        let Ok(state) = state.encode();
        Self { state: state.to_vec(), counter_stood }
    }
}

fn handle_of(user_id: Uuid) -> UserHandle16 {
    let Ok(handle) = UserHandle16::decode(user_id.into_bytes());
    handle
}

fn descriptor(
    credential: &Credential,
) -> Result<PublicKeyCredentialDescriptor<Vec<u8>>, WebAuthnError> {
    let id = CredentialId::<Vec<u8>>::decode(credential.credential_id.clone())
        .map_err(|_malformed| unusable())?;
    let transports = u8::try_from(credential.transports).map_err(|_malformed| unusable())?;
    let transports = AuthTransports::decode(transports).map_err(|_malformed| unusable())?;
    Ok(PublicKeyCredentialDescriptor { id, transports })
}

fn authenticated<'c, 'h>(
    credential: &'c Credential,
    handle: &'h UserHandle16,
) -> Result<AuthenticatedCredential<'c, 'h, 16, PublicKey>, WebAuthnError> {
    let id = CredentialId::<&[u8]>::decode(&credential.credential_id)
        .map_err(|_malformed| unusable())?;
    let key = StaticState::<PublicKey>::decode(&credential.public_key)
        .map_err(|_malformed| unusable())?;
    let state: [u8; STATE_BYTES] =
        credential.state.as_slice().try_into().map_err(|_malformed| unusable())?;
    let state = DynamicState::decode(state).map_err(|_malformed| unusable())?;
    AuthenticatedCredential::new(id, handle, key, state).map_err(|_malformed| unusable())
}

fn unusable() -> WebAuthnError {
    WebAuthnError::Unusable("a credential")
}

fn refused(error: impl std::fmt::Display) -> WebAuthnError {
    WebAuthnError::Refused(error.to_string())
}

fn json_bytes(response: &Value) -> Result<Vec<u8>, WebAuthnError> {
    serde_json::to_vec(response).map_err(|_malformed| WebAuthnError::Malformed)
}

fn ceremony<E>(
    client: &impl serde::Serialize,
    state: Result<Vec<u8>, E>,
) -> Result<Ceremony, WebAuthnError> {
    let options =
        serde_json::to_value(client).map_err(|_unwritten| WebAuthnError::Unusable("options"))?;
    let state = state.map_err(|_clock| WebAuthnError::Unusable("the clock"))?;
    Ok(Ceremony { options, state })
}
