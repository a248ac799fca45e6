/**
 * Drives the methods of the real client library in both flows, as an app of another maker does, and
 * compares the session events that each tells.
 * Usage: node auth-js-flows.mjs <sandbox's URL> <server's URL> <URL of the mailbox>
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { GoTrueClient } = require('@supabase/auth-js');

const [sandbox, url, mailbox] = process.argv.slice(2);
const password = 'a quiet garden';
const app = 'https://sukoon.example/app-of-another-maker';
const clients = [];

/** Where the library keeps a session, without a browser. */
function storageIn(kept) {
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

/** A separate browser, which has told its first event. */
async function browser(flowType) {
  const kept = new Map();
  // The library sends no session with a code, and a change of address needs the account's own.
  const fetchAsPerson = (input, init) => {
    const held = kept.get('supabase.auth.token');
    if (!held || !String(input).endsWith('/verify')) return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${JSON.parse(held).access_token}`);
    return fetch(input, { ...init, headers });
  };
  const client = new GoTrueClient({
    url,
    fetch: fetchAsPerson,
    storage: storageIn(kept),
    flowType,
    persistSession: true,
    autoRefreshToken: false,
  });
  const events = [];
  let stop = () => {};
  await new Promise((told) => {
    const { data } = client.onAuthStateChange((event) => {
      events.push(event);
      if (event === 'INITIAL_SESSION') told();
    });
    stop = () => data.subscription.unsubscribe();
  });
  clients.push(stop);
  return { client, events, stop };
}

/** The data of a response that must not be an error. */
function good({ data, error }) {
  assert.equal(error, null, error?.message);
  return data;
}

/** Fails unless the response is an error with this code and status. */
function bad({ error }, code, status) {
  assert.ok(error, `expected ${code}`);
  assert.equal(error.code, code, error.message);
  assert.equal(error.status, status);
}

/** The newest mail with a code to an address. */
async function mail(to) {
  const answer = await fetch(`${mailbox}?${new URLSearchParams({ to })}`);
  assert.equal(answer.status, 200, `a mail to ${to}`);
  return answer.json();
}

/** The digits of the newest message to a phone, as soon as there is one. */
async function digits(to) {
  for (let tries = 0; tries < 300; tries += 1) {
    const query = new URLSearchParams({ to });
    const messages = await (await fetch(`${sandbox}/api/messages?${query}`)).json();
    if (messages.length > 0) return /^\d+/.exec(messages[0].text)[0];
    await new Promise((done) => void setTimeout(done, 50));
  }
  throw new Error('no message has arrived');
}

/** What the button of our page does with a link of another client: the place where it leads. */
async function press(link) {
  const fragment = new URLSearchParams(new URL(link).hash.slice(1));
  const [type, token_hash] = [fragment.get('type'), fragment.get('token_hash')];
  const body = JSON.stringify({ type, token_hash, answer: 'redirect' });
  const answer = await fetch(`${url}/verify`, { method: 'POST', body });
  assert.equal(answer.status, 200);
  return new URL((await answer.json()).redirect_to);
}

/** A new person signs in by a code. */
async function arrive(client, name, flow) {
  const email = `${name}-${flow}@example.test`;
  good(await client.signInWithOtp({ email, options: { data: { firstName: name } } }));
  good(await client.verifyOtp({ email, token: (await mail(email)).code, type: 'email' }));
  return email;
}

/** A new person with a password, whose address is confirmed. */
async function signUp(client, name, flow) {
  const email = `${name}-${flow}@example.test`;
  const { session, user } = good(await client.signUp({ email, password }));
  assert.equal(session, null);
  bad(await client.verifyOtp({ email, token: '00000', type: 'signup' }), 'otp_expired', 403);
  const { sign_up_secret } = user;
  const token = (await mail(email)).code;
  good(await client.verifyOtp({ email, token, type: 'signup', sign_up_secret }));
  return email;
}

async function signUpAndSignIn(flow) {
  const first = await browser(flow);
  const short = await first.client.signUp({ email: 'short@example.test', password: 'short' });
  const { name, code } = short.error ?? {};
  assert.deepEqual([name, code], ['AuthWeakPasswordError', 'weak_password']);
  const email = await signUp(first.client, 'asha', flow);
  assert.deepEqual(first.events, ['INITIAL_SESSION', 'SIGNED_IN']);
  const { client, events } = await browser(flow);
  const wrong = await client.signInWithPassword({ email, password: 'not the right one' });
  bad(wrong, 'invalid_credentials', 400);
  const { session } = good(await client.signInWithPassword({ email, password }));
  assert.deepEqual([session.token_type, session.user.email], ['bearer', email]);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function exchange(flow) {
  const { client, events } = await browser(flow);
  const missing = flow === 'pkce' ? 'AuthPKCECodeVerifierMissingError' : 'AuthApiError';
  assert.equal((await client.exchangeCodeForSession('no such code')).error?.name, missing);
  if (flow === 'implicit') return;
  const email = 'esha@example.test';
  good(await client.signInWithOtp({ email, options: { emailRedirectTo: app } }));
  const place = await press((await mail(email)).link);
  assert.equal(`${place.origin}${place.pathname}`, app);
  const code = place.searchParams.get('code');
  const thief = (await browser(flow)).client;
  assert.ok((await thief.exchangeCodeForSession(code)).error, 'it has no verifier');
  const { session } = good(await client.exchangeCodeForSession(code));
  assert.equal(session.user.email, email);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function recover(flow) {
  const email = await arrive((await browser(flow)).client, 'farida', flow);
  const { client, events } = await browser(flow);
  good(await client.resetPasswordForEmail(email, { redirectTo: app }));
  const { code, link } = await mail(email);
  if (flow === 'pkce') {
    const place = await press(link);
    good(await client.exchangeCodeForSession(place.searchParams.get('code')));
  } else {
    good(await client.verifyOtp({ email, token: code, type: 'recovery' }));
  }
  good(await client.updateUser({ password: 'a third garden' }));
  bad(await client.resetPasswordForEmail(email), 'over_email_send_rate_limit', 429);
  assert.deepEqual(events, ['INITIAL_SESSION', 'PASSWORD_RECOVERY', 'USER_UPDATED']);
}

async function readTheSession(flow) {
  const { client, events } = await browser(flow);
  assert.deepEqual(good(await client.getSession()), { session: null });
  assert.equal((await client.getUser()).error?.name, 'AuthSessionMissingError');
  const email = await arrive(client, 'gauri', flow);
  const { user } = good(await client.getUser());
  assert.deepEqual([user.email, user.user_metadata.firstName], [email, 'gauri']);
  const { claims, header } = good(await client.getClaims());
  assert.deepEqual([header.alg, claims.sub, claims.aal], ['ES256', user.id, 'aal1']);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function refreshAndSet(flow) {
  const { client, events } = await browser(flow);
  await arrive(client, 'hema', flow);
  const before = good(await client.getSession()).session;
  const { session } = good(await client.refreshSession());
  assert.notEqual(session.refresh_token, before.refresh_token);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'TOKEN_REFRESHED']);
  const other = await browser(flow);
  const { access_token, refresh_token } = session;
  good(await other.client.setSession({ access_token, refresh_token }));
  assert.deepEqual(other.events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function changeByNonce(flow) {
  const { client, events } = await browser(flow);
  const email = await arrive(client, 'indu', flow);
  good(await client.reauthenticate());
  good(await client.updateUser({ password, nonce: (await mail(email)).code }));
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED']);
}

async function changeAddress(flow) {
  const { client, events } = await browser(flow);
  const email = await arrive(client, 'jaya', flow);
  const next = `jaya-next-${flow}@example.test`;
  const { user } = good(await client.updateUser({ email: next }));
  assert.deepEqual([user.email, user.new_email], [email, next]);
  const type = 'email_change';
  const fresh = (await mail(next)).code;
  const half = good(await client.verifyOtp({ email: next, token: fresh, type }));
  assert.equal(half.session ?? null, null);
  good(await client.verifyOtp({ email, token: (await mail(email)).code, type }));
  assert.equal(good(await client.getUser()).user.email, next);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN']);
}

async function resend(flow) {
  const { client, events } = await browser(flow);
  const email = `kamala-${flow}@example.test`;
  good(await client.signUp({ email, password }));
  bad(await client.resend({ type: 'signup', email }), 'over_email_send_rate_limit', 429);
  good(await client.resend({ type: 'signup', email: `unknown-${flow}@example.test` }));
  assert.deepEqual(events, ['INITIAL_SESSION']);
}

async function signOut(flow) {
  const [one, other] = [await browser(flow), await browser(flow)];
  const email = await signUp(one.client, 'lata', flow);
  good(await other.client.signInWithPassword({ email, password }));
  good(await one.client.signOut({ scope: 'others' }));
  assert.equal((await other.client.getUser()).error?.name, 'AuthSessionMissingError');
  good(await one.client.getUser());
  good(await one.client.signOut({ scope: 'local' }));
  good(await one.client.signInWithPassword({ email, password }));
  good(await one.client.signOut());
  assert.deepEqual(good(await one.client.getSession()), { session: null });
  const twice = ['SIGNED_IN', 'SIGNED_OUT', 'SIGNED_IN', 'SIGNED_OUT'];
  assert.deepEqual(one.events, ['INITIAL_SESSION', ...twice]);
}

async function listenNoMore(flow) {
  const { client, events, stop } = await browser(flow);
  stop();
  await arrive(client, 'mala', flow);
  await client.startAutoRefresh();
  await client.stopAutoRefresh();
  assert.deepEqual(events, ['INITIAL_SESSION']);
  await client.dispose();
}

async function beAnonymousFirst(flow) {
  const { client, events } = await browser(flow);
  const { user } = good(await client.signInAnonymously());
  assert.equal(user.is_anonymous, true);
  const email = `nila-${flow}@example.test`;
  good(await client.updateUser({ email }));
  good(await client.verifyOtp({ email, token: (await mail(email)).code, type: 'email_change' }));
  const now = good(await client.getUser()).user;
  assert.deepEqual([now.id, now.email, now.is_anonymous], [user.id, email, false]);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN']);
}

async function useAPhone(flow) {
  const { client, events } = await browser(flow);
  const [phone, next] =
    flow === 'pkce' ? ['+919876543211', '+919876543212'] : ['+919876543221', '+919876543222'];
  good(await client.signInWithOtp({ phone, options: { channel: 'whatsapp' } }));
  good(await client.verifyOtp({ phone, token: await digits(phone), type: 'sms' }));
  good(await client.updateUser({ phone: next }));
  const type = 'phone_change';
  bad(await client.resend({ type, phone: next }), 'over_sms_send_rate_limit', 429);
  good(await client.verifyOtp({ phone: next, token: await digits(next), type }));
  assert.equal(good(await client.getUser()).user.phone, next.slice(1));
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN']);
}

/** A person as a provider knows them. */
function knownAs(name, flow) {
  const email = `${name}-${flow}@example.test`;
  return { sub: email, email, email_verified: true, name: 'Asha Rao' };
}

/** The person approves at the provider's page; the result is where the browser is led then. */
async function approve(page, person) {
  const body = JSON.stringify({ url: page, person });
  const answer = await fetch(`${sandbox}/api/oidc/approve`, { method: 'POST', body });
  const back = new URL((await answer.json()).redirect);
  const led = await fetch(`${url}/callback${back.search}`, { redirect: 'manual' });
  return new URL(led.headers.get('location'));
}

/** Where a provider leads back to, as the app takes it up: by its code, or by the session there. */
async function takeUp(client, flow, place) {
  if (flow === 'pkce') {
    good(await client.exchangeCodeForSession(place.searchParams.get('code')));
    return;
  }
  const session = new URLSearchParams(place.hash.slice(1));
  const access_token = session.get('access_token');
  const refresh_token = session.get('refresh_token');
  good(await client.setSession({ access_token, refresh_token }));
}

async function useAProvider(flow) {
  const { client, events } = await browser(flow);
  const person = knownAs('omana', flow);
  const options = { skipBrowserRedirect: true };
  const begun = good(await client.signInWithOAuth({ provider: 'keycloak', options }));
  const led = await fetch(begun.url, { redirect: 'manual' });
  await takeUp(client, flow, await approve(led.headers.get('location'), person));
  assert.equal(good(await client.getUser()).user.email, person.email);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function useAnIdToken(flow) {
  const { client, events } = await browser(flow);
  const person = knownAs('parul', flow);
  const body = JSON.stringify(person);
  const made = await fetch(`${sandbox}/api/oidc/id_token`, { method: 'POST', body });
  const { id_token: token } = await made.json();
  const { session } = good(await client.signInWithIdToken({ provider: 'keycloak', token }));
  assert.equal(session.user.email, person.email);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
}

async function linkAProvider(flow) {
  const { client, events } = await browser(flow);
  await arrive(client, 'radha', flow);
  const options = { skipBrowserRedirect: true };
  const begun = good(await client.linkIdentity({ provider: 'keycloak', options }));
  await takeUp(client, flow, await approve(begun.url, knownAs('other', flow)));
  const { identities } = good(await client.getUserIdentities());
  assert.deepEqual(identities.map((it) => it.provider).sort(), ['email', 'keycloak']);
  good(await client.unlinkIdentity(identities.find((it) => it.provider === 'keycloak')));
  const left = good(await client.getUserIdentities()).identities;
  bad(await client.unlinkIdentity(left[0]), 'single_identity_not_deletable', 422);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN', 'SIGNED_IN']);
}

const methods = [
  signUpAndSignIn,
  exchange,
  recover,
  readTheSession,
  refreshAndSet,
  changeByNonce,
  changeAddress,
  resend,
  signOut,
  listenNoMore,
  beAnonymousFirst,
  useAPhone,
  useAProvider,
  useAnIdToken,
  linkAProvider,
];
for (const flow of ['implicit', 'pkce']) {
  for (const method of methods) {
    try {
      await method(flow);
    } catch (error) {
      throw new Error(`${flow}: ${method.name}`, { cause: error });
    }
  }
}
for (const stop of clients) stop();
