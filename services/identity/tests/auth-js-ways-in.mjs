/**
 * Drives administration, anonymous accounts, phones and other providers with the real client
 * library. Usage: node auth-js-ways-in.mjs <server's URL> <service key> <sandbox's URL>
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { GoTrueAdminApi, GoTrueClient } = require('@supabase/auth-js');

const [url, key, sandbox] = process.argv.slice(2);
const password = 'a quiet garden';
const clients = [];

/** A separate browser: storage in memory, and the session events that it received. */
function browser(flowType = 'implicit') {
  const kept = new Map();
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
  };
  // A change is confirmed by the account's session, which the library does not send with a code.
  const fetchAsPerson = (input, init) => {
    const held = [...kept.values()].find((text) => text.includes('access_token'));
    if (!held || !String(input).includes('/verify')) return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${JSON.parse(held).access_token}`);
    return fetch(input, { ...init, headers });
  };
  const client = new GoTrueClient({
    url, fetch: fetchAsPerson, storage, flowType, persistSession: true, autoRefreshToken: false,
  });
  const events = [];
  const { data: listening } = client.onAuthStateChange((event) => void events.push(event));
  clients.push(() => listening.subscription.unsubscribe());
  return { client, events };
}

function good({ data, error }) {
  assert.equal(error, null, error?.message);
  return data;
}

function bad({ error }, code, status) {
  assert.ok(error, `expected ${code}`);
  assert.equal(error.code, code, error.message);
  if (status) assert.equal(error.status, status);
}

async function administer() {
  const admin = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${key}` } });
  const email = 'office@example.test';
  const made = good(await admin.createUser({
    email, password, email_confirm: true, user_metadata: { firstName: 'Asha' },
    app_metadata: { plan: 'gold' },
  }));
  const { id } = made.user;
  assert.equal(made.user.app_metadata.plan, 'gold');
  bad(await admin.createUser({ email }), 'email_exists', 422);
  good(await admin.createUser({ email: 'second@example.test' }));
  const first = good(await admin.listUsers({ page: 1, perPage: 1 }));
  assert.deepEqual([first.users.length, first.total, first.nextPage, first.lastPage], [1, 2, 2, 2]);
  const last = good(await admin.listUsers({ page: 2, perPage: 1 }));
  assert.deepEqual([last.users[0].id, last.nextPage], [id, null]);
  assert.equal(good(await admin.getUserById(id)).user.email, email);
  const changed = good(await admin.updateUserById(id, { ban_duration: '24h' }));
  assert.ok(changed.user.banned_until);
  good(await admin.updateUserById(id, { ban_duration: 'none' }));
  assert.deepEqual(good(await admin.mfa.listFactors({ userId: id })).factors, []);
  const invited = good(await admin.inviteUserByEmail('invited@example.test', {
    data: { firstName: 'Ravi' }, redirectTo: 'https://sukoon.example/welcome',
  }));
  assert.ok(invited.user.invited_at);
  const link = good(await admin.generateLink({ type: 'recovery', email }));
  assert.equal(link.properties.verification_type, 'recovery');
  const { client, events } = browser();
  const token_hash = link.properties.hashed_token;
  const opened = good(await client.verifyOtp({ type: 'recovery', token_hash }));
  assert.ok(events.includes('PASSWORD_RECOVERY'), events.join());
  good(await admin.signOut(opened.session.access_token, 'global'));
  bad(await client.getUser(), undefined);
  good(await admin.deleteUser(id, true));
  good(await admin.deleteUser(id));
  bad(await admin.getUserById(id), 'user_not_found', 404);
  const stranger = new GoTrueAdminApi({ url, headers: { Authorization: 'Bearer x' } });
  bad(await stranger.listUsers(), 'bad_jwt', 403);
}

async function beAnonymous() {
  const { client, events } = browser();
  const { user } = good(await client.signInAnonymously({ options: { data: { theme: 'dark' } } }));
  assert.equal(user.is_anonymous, true);
  assert.ok(events.includes('SIGNED_IN'));
  assert.equal(good(await client.getUser()).user.user_metadata.theme, 'dark');
}

/** The digits of the newest message, once so many have arrived. */
async function digits(to, count) {
  const query = new URLSearchParams({ to });
  for (let tries = 0; tries < 300; tries += 1) {
    const messages = await (await fetch(`${sandbox}/api/messages?${query}`)).json();
    if (messages.length >= count) return /^\d+/.exec(messages[0].text)[0];
    await new Promise((done) => void setTimeout(done, 50));
  }
  throw new Error('no message has arrived');
}

async function useThePhone() {
  const phone = '+919876543210';
  const { client, events } = browser();
  const asked = good(await client.signInWithOtp({ phone, options: { channel: 'whatsapp' } }));
  assert.equal(asked.session, null);
  const token = await digits(phone, 1);
  const opened = good(await client.verifyOtp({ phone, token, type: 'sms' }));
  assert.equal(opened.user.phone, phone.slice(1));
  assert.ok(events.includes('SIGNED_IN'));
  good(await client.updateUser({ password }));
  const next = '+918765432109';
  const changed = good(await client.updateUser({ phone: next }));
  assert.equal(changed.user.new_phone, next.slice(1));
  const type = 'phone_change';
  bad(await client.resend({ type, phone: next }), 'over_sms_send_rate_limit', 429);
  good(await client.verifyOtp({ phone: next, token: await digits(next, 1), type }));
  assert.equal(good(await client.getUser()).user.phone, next.slice(1));
  good(await client.signOut());
  good(await client.signInWithPassword({ phone: next, password }));
  // The library sends no challenge with a phone, so the flow does not matter here.
  const made = good(await browser('pkce').client.signUp({ phone: '+917654321098', password }));
  assert.equal(made.session, null);
  assert.equal(made.user.phone, '917654321098');
}

/** A number that is enrolled, asked for a code, and raises the session. */
async function useThePhoneAsAFactor() {
  const [own, number] = ['+916543210987', '+915432109876'];
  const { client, events } = browser();
  good(await client.signInWithOtp({ phone: own }));
  good(await client.verifyOtp({ phone: own, token: await digits(own, 1), type: 'sms' }));
  const wanted = { factorType: 'phone', friendlyName: 'phone', phone: number };
  const enrolled = good(await client.mfa.enroll(wanted));
  assert.deepEqual([enrolled.type, enrolled.phone], ['phone', number]);
  const factorId = enrolled.id;
  const { id: challengeId, type } = good(
    await client.mfa.challenge({ factorId, channel: 'whatsapp' }),
  );
  assert.equal(type, 'phone');
  bad(await client.mfa.challenge({ factorId }), 'over_sms_send_rate_limit', 429);
  const wrong = await client.mfa.verify({ factorId, challengeId, code: 'abcdef' });
  bad(wrong, 'mfa_verification_failed', 422);
  const code = await digits(number, 1);
  const raised = good(await client.mfa.verify({ factorId, challengeId, code }));
  const { status, phone } = raised.user.factors[0];
  assert.deepEqual([status, phone], ['verified', number.slice(1)]);
  const used = await client.mfa.verify({ factorId, challengeId, code });
  bad(used, 'mfa_ip_address_mismatch', 422);
  assert.ok(events.includes('MFA_CHALLENGE_VERIFIED'), events.join());
  const level = good(await client.mfa.getAuthenticatorAssuranceLevel());
  assert.equal(level.currentLevel, 'aal2');
  assert.equal(level.currentAuthenticationMethods[0].method, 'mfa/phone');
  assert.deepEqual(good(await client.mfa.listFactors()).phone.map(({ id }) => id), [factorId]);
  const admin = new GoTrueAdminApi({ url, headers: { Authorization: `Bearer ${key}` } });
  const userId = raised.user.id;
  const { factors } = good(await admin.mfa.listFactors({ userId }));
  assert.equal(factors[0].factor_type, 'phone');
  good(await client.mfa.unenroll({ factorId }));
  assert.deepEqual(good(await client.mfa.listFactors()).all, []);
}

const person = {
  sub: 'asha', email: 'asha@example.test', email_verified: true, name: 'Asha Rao',
};

/** The person approves at the provider, and the browser comes back to the site. */
async function approve(page, who) {
  const body = JSON.stringify({ url: page, person: who });
  const answer = await (await fetch(`${sandbox}/api/oidc/approve`, { method: 'POST', body })).json();
  const back = new URL(answer.redirect);
  const led = await fetch(`${url}/callback${back.search}`, { redirect: 'manual' });
  return new URL(led.headers.get('location'));
}

/** The provider's page to which a URL of the client leads. */
async function follow(start) {
  const led = await fetch(start, { redirect: 'manual' });
  assert.equal(led.status, 302);
  return led.headers.get('location');
}

async function useAProvider() {
  const { client, events } = browser('pkce');
  const options = { skipBrowserRedirect: true };
  const begun = good(await client.signInWithOAuth({ provider: 'keycloak', options }));
  const place = await approve(await follow(begun.url), person);
  const { session } = good(await client.exchangeCodeForSession(place.searchParams.get('code')));
  assert.equal(session.user.email, person.email);
  assert.ok(events.includes('SIGNED_IN'));
  const linking = good(await client.linkIdentity({ provider: 'google', options }));
  const other = { sub: 'other', email: 'other@example.test', email_verified: true };
  const linked = await approve(linking.url, other);
  good(await client.exchangeCodeForSession(linked.searchParams.get('code')));
  const { identities } = good(await client.getUserIdentities());
  assert.deepEqual(identities.map((it) => it.provider).sort(), ['google', 'keycloak']);
  good(await client.unlinkIdentity(identities.find((it) => it.provider === 'google')));
  const left = good(await client.getUserIdentities()).identities;
  bad(await client.unlinkIdentity(left[0]), 'single_identity_not_deletable', 422);
}

async function useAnIdToken() {
  const body = JSON.stringify(person);
  const made = await fetch(`${sandbox}/api/oidc/id_token`, { method: 'POST', body });
  const { id_token: token } = await made.json();
  const { client, events } = browser();
  const { session } = good(await client.signInWithIdToken({ provider: 'keycloak', token }));
  assert.equal(session.user.email, person.email);
  assert.ok(events.includes('SIGNED_IN'));
}

await administer();
await beAnonymous();
await useThePhone();
await useThePhoneAsAFactor();
await useAProvider();
await useAnIdToken();
for (const close of clients) close();
