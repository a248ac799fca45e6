/** The conversions of passkeys, in browsers with and without the standard's own. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hasPasskeys, offersInField, thisDevice } from './passkey-support';
import { askForPasskey, createPasskey } from './webauthn';

const credentials = { create: vi.fn(), get: vi.fn() };

beforeEach(() => {
  credentials.create.mockReset();
  credentials.get.mockReset();
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true });
});

afterEach(() => vi.unstubAllGlobals());

function bytes(...values: number[]): ArrayBuffer {
  return Uint8Array.from(values).buffer;
}

/** As of a browser, or of a password manager, that cannot write itself as JSON. */
const OLD = {
  id: '-_8',
  rawId: bytes(251, 255),
  type: 'public-key',
  authenticatorAttachment: null,
  response: {
    clientDataJSON: bytes(1),
    authenticatorData: bytes(2),
    signature: bytes(3),
    userHandle: null,
  },
  getClientExtensionResults: () => ({}),
};

const REQUEST = {
  challenge: '-_8',
  rpId: 'sukoon.example',
  allowCredentials: [{ id: 'AQI', type: 'public-key' as const, transports: ['usb'] }],
};

test('an old browser gets bytes and answers with text', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  credentials.get.mockResolvedValue(OLD);
  expect(await askForPasskey(REQUEST)).toEqual({
    id: '-_8',
    rawId: '-_8',
    type: 'public-key',
    response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw' },
    clientExtensionResults: {},
  });
  const [{ publicKey, mediation }] = credentials.get.mock.calls[0] ?? [];
  expect(mediation).toBeUndefined();
  expect([...new Uint8Array(publicKey.challenge)]).toEqual([251, 255]);
  expect([...new Uint8Array(publicKey.allowCredentials[0].id)]).toEqual([1, 2]);
});

test('a new browser does both itself', async () => {
  const Current = Object.assign(class {}, {
    parseRequestOptionsFromJSON: vi.fn(() => ({ challenge: bytes(9) })),
    parseCreationOptionsFromJSON: vi.fn(() => ({ challenge: bytes(8) })),
  });
  vi.stubGlobal('PublicKeyCredential', Current);
  credentials.get.mockResolvedValue({ ...OLD, toJSON: () => ({ written: true }) });
  const stop = new AbortController();
  expect(await askForPasskey(REQUEST, stop.signal)).toEqual({ written: true });
  expect(credentials.get.mock.calls[0]?.[0]).toMatchObject({
    mediation: 'conditional',
    signal: stop.signal,
  });
  credentials.create.mockResolvedValue({ ...OLD, toJSON: () => ({ written: true }) });
  const user = { id: 'AQ', name: 'a', displayName: 'A' };
  const options = { challenge: 'AQ', rp: { name: 'x' }, user, pubKeyCredParams: [] };
  expect(await createPasskey(options)).toEqual({ written: true });
});

test.each([
  ['NotAllowedError', 'passkey_cancelled'],
  ['AbortError', 'passkey_cancelled'],
  ['InvalidStateError', 'passkey_exists'],
  ['SecurityError', 'passkey_unsupported'],
])('%s of the browser is %s', async (name, code) => {
  vi.stubGlobal('PublicKeyCredential', class {});
  credentials.get.mockRejectedValue(new DOMException('x', name));
  await expect(askForPasskey(REQUEST)).rejects.toMatchObject({ code });
});

test('no credential is the same as a window that was closed', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  credentials.get.mockResolvedValue(null);
  await expect(askForPasskey(REQUEST)).rejects.toMatchObject({ code: 'passkey_cancelled' });
});

test('what a browser can do is asked with care', async () => {
  vi.stubGlobal('PublicKeyCredential', undefined);
  expect(hasPasskeys()).toBe(false);
  expect(await offersInField()).toBe(false);
  vi.stubGlobal('PublicKeyCredential', class {});
  expect(await offersInField()).toBe(false);
  const Refusing = Object.assign(class {}, {
    isConditionalMediationAvailable: () => Promise.reject(new Error('SecurityError')),
  });
  vi.stubGlobal('PublicKeyCredential', Refusing);
  expect(await offersInField()).toBe(false);
  const Offering = Object.assign(class {}, {
    isConditionalMediationAvailable: async () => true,
  });
  vi.stubGlobal('PublicKeyCredential', Offering);
  expect(await offersInField()).toBe(true);
});

test('a passkey is named after the device that makes it', () => {
  expect(thisDevice('Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)')).toBe('iPhone');
  expect(thisDevice('Mozilla/5.0 (Linux; Android 16; A24)')).toBe('Android phone');
  expect(thisDevice('something else')).toBe('This device');
});
