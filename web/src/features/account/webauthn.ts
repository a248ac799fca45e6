/**
 * The browser's part of passkeys: JSON in, JSON out. Older browsers, and some password managers, do
 * not have the conversions of the standard's third level, so each has its own way here.
 */

/** Codes that account-messages.ts has words for. */
type PasskeyCode = 'passkey_cancelled' | 'passkey_exists' | 'passkey_unsupported';

class PasskeyError extends Error {
  readonly code: PasskeyCode;
  /** The browser has answered: it is not the network. */
  readonly status = 400;

  constructor(code: PasskeyCode, cause: unknown) {
    super(code, { cause });
    this.name = 'PasskeyError';
    this.code = code;
  }
}

const CODES: Record<string, PasskeyCode> = {
  NotAllowedError: 'passkey_cancelled',
  AbortError: 'passkey_cancelled',
  InvalidStateError: 'passkey_exists',
  NotSupportedError: 'passkey_unsupported',
  SecurityError: 'passkey_unsupported',
  ConstraintError: 'passkey_unsupported',
};

function faultOf(error: unknown): unknown {
  const name = error instanceof Error || error instanceof DOMException ? error.name : '';
  const code = CODES[name];
  return code ? new PasskeyError(code, error) : error;
}

function toBytes(text: string): ArrayBuffer {
  const base64 = text.replace(/-/g, '+').replace(/_/g, '/');
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0)).buffer;
}

function toText(bytes: ArrayBuffer): string {
  const signs = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(signs).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

type Descriptors = readonly PublicKeyCredentialDescriptorJSON[] | undefined;

function descriptors(list: Descriptors): PublicKeyCredentialDescriptor[] {
  return (list ?? []).map(({ id, transports }) => ({
    id: toBytes(id),
    type: 'public-key',
    ...(transports ? { transports: transports as AuthenticatorTransport[] } : {}),
  }));
}

function creationOptions(
  json: PublicKeyCredentialCreationOptionsJSON,
): PublicKeyCredentialCreationOptions {
  const { parseCreationOptionsFromJSON } = PublicKeyCredential as Partial<
    typeof PublicKeyCredential
  >;
  if (parseCreationOptionsFromJSON) {
    return parseCreationOptionsFromJSON.call(PublicKeyCredential, json);
  }
  return {
    ...(json as unknown as PublicKeyCredentialCreationOptions),
    challenge: toBytes(json.challenge),
    user: { ...json.user, id: toBytes(json.user.id) },
    excludeCredentials: descriptors(json.excludeCredentials),
  };
}

function requestOptions(
  json: PublicKeyCredentialRequestOptionsJSON,
): PublicKeyCredentialRequestOptions {
  const { parseRequestOptionsFromJSON } = PublicKeyCredential as Partial<
    typeof PublicKeyCredential
  >;
  if (parseRequestOptionsFromJSON) {
    return parseRequestOptionsFromJSON.call(PublicKeyCredential, json);
  }
  return {
    ...(json as unknown as PublicKeyCredentialRequestOptions),
    challenge: toBytes(json.challenge),
    allowCredentials: descriptors(json.allowCredentials),
  };
}

/** The parts of both answers that are bytes, by their names in JSON. */
const BYTES = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature'] as const;

function written(credential: PublicKeyCredential): object {
  try {
    // Some password managers put an object without the method in the browser's place.
    return credential.toJSON();
  } catch {
    const parts = credential.response as unknown as Record<string, ArrayBuffer | null | undefined>;
    const response: Record<string, unknown> = {};
    for (const name of [...BYTES, 'userHandle']) {
      const bytes = parts[name];
      if (bytes) response[name] = toText(bytes);
    }
    const { response: answer } = credential;
    if ('getTransports' in answer) {
      response.transports = (answer as AuthenticatorAttestationResponse).getTransports();
    }
    return {
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      response,
      clientExtensionResults: credential.getClientExtensionResults(),
      ...(credential.authenticatorAttachment
        ? { authenticatorAttachment: credential.authenticatorAttachment }
        : {}),
    };
  }
}

/** What a browser gives back, in the form of the service's calls. */
type CredentialJson = object;

async function answered(asked: Promise<Credential | null>): Promise<CredentialJson> {
  try {
    const credential = await asked;
    if (!credential) throw new DOMException('There is no passkey.', 'NotAllowedError');
    return written(credential as PublicKeyCredential);
  } catch (error) {
    throw faultOf(error);
  }
}

/** Asks the browser to make a passkey. */
export async function createPasskey(
  json: PublicKeyCredentialCreationOptionsJSON,
): Promise<CredentialJson> {
  return answered(navigator.credentials.create({ publicKey: creationOptions(json) }));
}

/** Asks for a passkey: in the browser's window or, with `quietly`, among the words of a field. */
export async function askForPasskey(
  json: PublicKeyCredentialRequestOptionsJSON,
  quietly?: AbortSignal,
): Promise<CredentialJson> {
  const publicKey = requestOptions(json);
  const asked = quietly
    ? { publicKey, mediation: 'conditional' as const, signal: quietly }
    : { publicKey };
  return answered(navigator.credentials.get(asked));
}
