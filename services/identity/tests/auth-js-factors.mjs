/**
 * Drives second factors and passkeys with the real client library, as an app of another maker does.
 * Usage: node auth-js-factors.mjs <server's URL> <URL of the newest mail>
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { GoTrueClient } = require('@supabase/auth-js');

const [url, mailbox] = process.argv.slice(2);
const site = 'sukoon.example';
const email = 'asha@example.test';
const password = 'a quiet garden';
const clients = [];

/** A separate browser: storage in memory, and the session events that it received. */
function browser() {
  const kept = new Map();
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
  const client = new GoTrueClient({
    url,
    storage,
    persistSession: true,
    autoRefreshToken: false,
    experimental: { passkey: true },
  });
  const events = [];
  const { data: listening } = client.onAuthStateChange((event) => void events.push(event));
  clients.push(() => listening.subscription.unsubscribe());
  return { client, events };
}

/** The data of a response that must not be an error. */
function good({ data: answered, error }) {
  assert.equal(error, null, error?.message);
  return answered;
}

/** Fails unless the response is an error with this code and status. */
function bad({ error }, code, status) {
  assert.ok(error, `expected ${code}`);
  assert.equal(error.code, code, error.message);
  assert.equal(error.status, status);
}

/** A code of an authenticator app (RFC 6238), written without the server's code. */
function appCode(secret, later = 0) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const mac = createHmac('sha1', key).update(step).digest();
  const word = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(word % 1_000_000).padStart(6, '0');
}

/** An authenticator with one credential, as a browser presents it. */
class Authenticator {
  keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  id = randomBytes(32);
  counter = 0;

  clientData(type, challenge) {
    const text = JSON.stringify({ type, challenge, origin: `https://${site}`, crossOrigin: false });
    return Buffer.from(text);
  }

  data(flags) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([createHash('sha256').update(site).digest(), Buffer.of(flags), counter]);
  }

  create(options) {
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    const part = (label, text) => [Buffer.of(label, 0x58, 0x20), Buffer.from(text, 'base64url')];
    const key = Buffer.concat([
      Buffer.of(0xa5, 1, 2, 3, 0x26, 0x20, 1),
      ...part(0x21, x),
      ...part(0x22, y),
    ]);
    this.handle = options.user.id;
    const data = Buffer.concat([this.data(0x45), Buffer.alloc(16), Buffer.of(0, 32), this.id, key]);
    const text = (it) => Buffer.concat([Buffer.of(0x60 | it.length), Buffer.from(it)]);
    const attestation = Buffer.concat([
      Buffer.of(0xa3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.of(0xa0),
      text('authData'),
      Buffer.of(0x58, data.length),
      data,
    ]);
    return this.credential({
      attestationObject: attestation.toString('base64url'),
      clientDataJSON: this.clientData('webauthn.create', options.challenge).toString('base64url'),
      transports: ['internal'],
    });
  }

  get(options) {
    this.counter += 1;
    const data = this.data(0x05);
    const clientData = this.clientData('webauthn.get', options.challenge);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    return this.credential({
      authenticatorData: data.toString('base64url'),
      clientDataJSON: clientData.toString('base64url'),
      signature: sign('sha256', signed, this.keys.privateKey).toString('base64url'),
      userHandle: this.handle,
    });
  }

  credential(response) {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }
}

async function levels(client) {
  const { currentLevel, nextLevel } = good(await client.mfa.getAuthenticatorAssuranceLevel());
  return [currentLevel, nextLevel];
}

/**
 * An authenticator needs the second factor or a mailed code of the last minutes; a password alone,
 * which the contract takes for the first one, would let its thief shut the owner out. The library
 * asks for the code, and the call that redeems it is ours.
 */
async function proveByCode(client) {
  good(await client.reauthenticate());
  const { code } = await (await fetch(mailbox)).json();
  const { session } = good(await client.getSession());
  const answer = await fetch(`${url}/reauthenticate/verify`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ nonce: code }),
  });
  assert.equal(answer.status, 200);
}

async function authenticatorApp() {
  const { client, events } = browser();
  good(await client.signUp({ email, password, options: { data: { firstName: 'Asha' } } }));
  assert.deepEqual(await levels(client), ['aal1', 'aal1']);
  const bare = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
  bad(bare, 'reauthentication_needed', 400);
  await proveByCode(client);
  const enrolled = good(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' }));
  assert.match(enrolled.totp.qr_code, /^data:image\/svg\+xml;utf-8,<\?xml/);
  assert.equal(enrolled.totp.qr_code.includes('#'), false);
  const { secret } = enrolled.totp;
  const factorId = enrolled.id;
  const challenge = good(await client.mfa.challenge({ factorId }));
  const wrong = await client.mfa.verify({ factorId, challengeId: challenge.id, code: 'abcdef' });
  bad(wrong, 'mfa_verification_failed', 422);
  const right = { factorId, challengeId: challenge.id, code: appCode(secret) };
  good(await client.mfa.verify(right));
  assert.deepEqual(await levels(client), ['aal2', 'aal2']);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'MFA_CHALLENGE_VERIFIED']);
  good(await client.refreshSession());
  assert.deepEqual(await levels(client), ['aal2', 'aal2']);
  const { totp } = good(await client.mfa.listFactors());
  assert.deepEqual(
    totp.map((factor) => [factor.id, factor.friendly_name]),
    [[factorId, 'phone']],
  );

  const second = browser().client;
  good(await second.signInWithPassword({ email, password }));
  assert.deepEqual(await levels(second), ['aal1', 'aal2']);
  bad(await second.updateUser({ password: 'a louder garden' }), 'insufficient_aal', 401);
  bad(await second.mfa.unenroll({ factorId }), 'insufficient_aal', 422);
  good(await second.mfa.challengeAndVerify({ factorId, code: appCode(secret, 1) }));
  assert.deepEqual(await levels(second), ['aal2', 'aal2']);
  return second;
}

async function passkey(client) {
  const authenticator = new Authenticator();
  const asked = good(await client.passkey.startRegistration());
  const made = authenticator.create(asked.options);
  const verified = { challengeId: asked.challenge_id, credential: made };
  const added = good(await client.passkey.verifyRegistration(verified));
  const renamed = { passkeyId: added.id, friendlyName: 'Laptop' };
  assert.equal(good(await client.passkey.update(renamed)).friendly_name, 'Laptop');

  const { client: other, events } = browser();
  const begun = good(await other.passkey.startAuthentication());
  const credential = authenticator.get(begun.options);
  const answer = { challengeId: begun.challenge_id, credential };
  const { session } = good(await other.passkey.verifyAuthentication(answer));
  assert.equal(session.user.email, email);
  assert.ok(events.includes('SIGNED_IN'));
  assert.deepEqual(await levels(other), ['aal2', 'aal2']);
  bad(await other.passkey.verifyAuthentication(answer), 'mfa_challenge_expired', 422);
  const listed = good(await other.passkey.list());
  assert.deepEqual(
    listed.map((it) => it.friendly_name),
    ['Laptop'],
  );
  good(await other.passkey.delete({ passkeyId: added.id }));
  const late = good(await other.passkey.startAuthentication());
  const gone = { challengeId: late.challenge_id, credential: authenticator.get(late.options) };
  bad(await other.passkey.verifyAuthentication(gone), 'invalid_credentials', 400);
}

async function securityKey(client) {
  const key = new Authenticator();
  const enrolled = good(await client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' }));
  const factorId = enrolled.id;
  const webauthn = { rpId: site, rpOrigins: [`https://${site}`] };
  const text = (buffer) => Buffer.from(buffer).toString('base64url');
  const answer = async (make) => {
    const asked = good(await client.mfa.challenge({ factorId, webauthn }));
    const { type, credential_options: options } = asked.webauthn;
    const { publicKey } = options;
    const challenge = text(publicKey.challenge);
    const user = publicKey.user && { id: text(publicKey.user.id) };
    const credential = make({ challenge, user });
    const response = { ...webauthn, type, credential_response: { toJSON: () => credential } };
    return client.mfa.verify({ factorId, challengeId: asked.id, webauthn: response });
  };
  good(await answer((options) => key.create(options)));
  good(await answer((options) => key.get(options)));
  const { all } = good(await client.mfa.listFactors());
  const verified = all.filter((factor) => factor.status === 'verified');
  assert.deepEqual(
    verified.map((factor) => factor.factor_type),
    ['totp', 'webauthn'],
  );
  good(await client.mfa.unenroll({ factorId }));
}

/** A person with a session of the app takes the app away. */
async function removedApp() {
  const { client } = browser();
  good(await client.signUp({ email: 'leaving@example.test', password }));
  await proveByCode(client);
  const { id: factorId, totp } = good(await client.mfa.enroll({ factorType: 'totp' }));
  good(await client.mfa.challengeAndVerify({ factorId, code: appCode(totp.secret) }));
  good(await client.mfa.unenroll({ factorId }));
  assert.deepEqual(good(await client.mfa.listFactors()).all, []);
}

const strong = await authenticatorApp();
await passkey(strong);
await securityKey(strong);
await removedApp();
for (const stop of clients) stop();
clients.length = 0;
