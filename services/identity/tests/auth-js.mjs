/**
 * Drives the identity server with the real client library, as the website does.
 * Usage: node auth-js.mjs confirming|trusting|flows <server's URL> <URL of the newest mail>
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../web/package.json', import.meta.url));
const { GoTrueClient, isAuthApiError, isAuthWeakPasswordError } = require('@supabase/auth-js');

const [part, url, mailbox] = process.argv.slice(2);
const email = 'asha@example.test';
const password = 'a quiet garden';
const data = { firstName: 'Asha', lastName: 'Rao', phone: '98765 43210' };
const clients = [];

/** A separate browser: storage in memory, and the session events that it received. */
function browser(flowType = 'implicit') {
  const kept = new Map();
  const storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
  // A change of address is redeemed by a session of its account, and the library's verifyOtp sends
  // none: an app adds it. Without it any browser could be given an account that a stranger prepared.
  const fetchAsPerson = (input, init) => {
    const held = kept.get('supabase.auth.token');
    if (!held || !String(input).includes('/verify')) return fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${JSON.parse(held).access_token}`);
    return fetch(input, { ...init, headers });
  };
  const client = new GoTrueClient({
    url,
    fetch: fetchAsPerson,
    storage,
    flowType,
    persistSession: true,
    autoRefreshToken: false,
  });
  const events = [];
  const { data: listening } = client.onAuthStateChange((event) => void events.push(event));
  clients.push(() => listening.subscription.unsubscribe());
  return { client, events };
}

async function mail() {
  const answer = await fetch(mailbox);
  return answer.json();
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
  if (status) assert.equal(error.status, status);
}

async function signUpAndConfirm() {
  const { client, events } = browser();
  const short = await client.signUp({ email, password: 'short' });
  assert.ok(isAuthWeakPasswordError(short.error));
  assert.deepEqual(short.error.reasons, ['length']);
  const signedUp = good(await client.signUp({ email, password, options: { data } }));
  assert.equal(signedUp.session, null);
  assert.equal(signedUp.user.email, email);
  bad(await client.signInWithPassword({ email, password }), 'email_not_confirmed', 400);
  bad(await client.resend({ type: 'signup', email }), 'over_email_send_rate_limit', 429);
  bad(await client.verifyOtp({ email, token: '00000', type: 'signup' }), 'otp_expired', 403);
  const { code, purpose } = await mail();
  assert.equal(purpose, 'signup');
  // As the site's pages do: the sign-up's response later proves that this browser created it.
  const { sign_up_secret } = signedUp.user;
  const shown = { email, token: code, type: 'signup', sign_up_secret };
  const confirmed = good(await client.verifyOtp(shown));
  assert.equal(confirmed.session.password_needed, undefined);
  assert.ok(confirmed.session.access_token);
  assert.ok(events.includes('SIGNED_IN'));
  return client;
}

async function readAndRefresh(client) {
  const { user } = good(await client.getUser());
  assert.deepEqual(user.user_metadata, data);
  assert.equal(user.identities.length, 1);
  const before = good(await client.getSession()).session;
  const { session } = good(await client.refreshSession());
  assert.notEqual(session.refresh_token, before.refresh_token);
  const { claims, header } = good(await client.getClaims());
  assert.equal(header.alg, 'ES256');
  assert.equal(claims.sub, user.id);
  assert.equal(claims.aal, 'aal1');
  assert.deepEqual(good(await client.mfa.listFactors()).all, []);
  assert.equal(good(await client.mfa.getAuthenticatorAssuranceLevel()).currentLevel, 'aal1');
}

async function changeAccount(client) {
  const changed = good(await client.updateUser({ data: { firstName: 'Usha' } }));
  assert.equal(changed.user.user_metadata.firstName, 'Usha');
  const next = 'a louder garden';
  bad(await client.updateUser({ password: next }), 'reauthentication_needed', 400);
  good(await client.updateUser({ password: next, current_password: password }));
  good(await client.signOut());
  assert.equal(good(await client.getSession()).session, null);
  return next;
}

async function signInAndOut(known) {
  const [one, other] = [browser(), browser()];
  const wrong = await one.client.signInWithPassword({ email, password });
  assert.ok(isAuthApiError(wrong.error));
  bad(wrong, 'invalid_credentials', 400);
  good(await one.client.signInWithPassword({ email, password: known }));
  good(await other.client.signInWithPassword({ email, password: known }));
  good(await one.client.signOut({ scope: 'others' }));
  const gone = await other.client.getUser();
  assert.equal(gone.error.name, 'AuthSessionMissingError');
  good(await one.client.getUser());
  good(await one.client.signOut({ scope: 'local' }));
  assert.ok(one.events.includes('SIGNED_OUT'));
}

async function recover() {
  const { client, events } = browser();
  const redirectTo = 'https://sukoon.example/recover?return=%2Fservices';
  assert.deepEqual(good(await client.resetPasswordForEmail(email, { redirectTo })), {});
  const again = await client.resetPasswordForEmail(email);
  bad(again, 'over_email_send_rate_limit', 429);
  assert.match(again.error.message, /after \d+ second/);
  const { code, purpose } = await mail();
  assert.equal(purpose, 'recovery');
  good(await client.verifyOtp({ email, token: code, type: 'recovery' }));
  assert.ok(events.includes('PASSWORD_RECOVERY'), events.join());
  good(await client.updateUser({ password: 'a third garden' }));
  assert.ok(events.includes('USER_UPDATED'));
  good(await client.signOut({ scope: 'global' }));
  good(await client.signInWithPassword({ email, password: 'a third garden' }));
}

async function followLink() {
  const { client } = browser();
  const ravi = 'ravi@example.test';
  const emailRedirectTo = 'https://sukoon.example/sign-in?return=%2Fbooking-flow';
  good(await client.signUp({ email: ravi, password, options: { emailRedirectTo } }));
  const { link } = await mail();
  const page = new URL(link);
  assert.equal(`${page.origin}${page.pathname}`, 'https://sukoon.example/confirm');
  const fragment = new URLSearchParams(page.hash.slice(1));
  assert.equal(fragment.get('redirect_to'), emailRedirectTo);
  const [token_hash, type] = [fragment.get('token_hash'), fragment.get('type')];
  // A client that knows the contract only: it is signed in, and sets its password again.
  const { session, user } = good(await client.verifyOtp({ token_hash, type }));
  assert.equal(user.email, ravi);
  assert.equal(session.password_needed, true);
  bad(await browser().client.signInWithPassword({ email: ravi, password }), 'invalid_credentials');
  good(await client.updateUser({ password }));
  good(await browser().client.signInWithPassword({ email: ravi, password }));
  const hashed = await client.verifyOtp({ token_hash: 'x', type: 'signup' });
  bad(hashed, 'otp_expired', 403);
}

async function askForWhatIsNotThere() {
  const { client } = browser();
  bad(await client.signInAnonymously(), 'anonymous_provider_disabled', 422);
  bad(await client.signInWithSSO({ domain: 'x.test' }), 'saml_provider_disabled', 404);
  const token = { provider: 'google', token: 'x' };
  bad(await client.signInWithIdToken(token), 'provider_disabled', 400);
  const toPhone = { phone: '+919876543210' };
  bad(await client.signInWithOtp(toPhone), 'phone_provider_disabled', 400);
  const wallet = { chain: 'ethereum', message: 'x', signature: '0x00' };
  bad(await client.signInWithWeb3(wallet), 'web3_provider_disabled', 422);
  good(await client.signInWithPassword({ email, password: 'a third garden' }));
  const phone = { factorType: 'phone', friendlyName: 'x', phone: '+919876543210' };
  bad(await client.mfa.enroll(phone), 'mfa_phone_enroll_not_enabled', 422);
  const factorId = '00000000-0000-7000-8000-000000000000';
  bad(await client.mfa.challenge({ factorId }), 'mfa_factor_not_found', 404);
  bad(await client.linkIdentity({ provider: 'google' }), 'manual_linking_disabled', 404);
  const { oauth } = client;
  for (const answer of [
    await oauth.getAuthorizationDetails(factorId),
    await oauth.approveAuthorization(factorId),
    await oauth.denyAuthorization(factorId),
    await oauth.listGrants(),
    await oauth.revokeGrant({ clientId: factorId }),
  ]) {
    // The contract's server answers "404 page not found", which is no JSON.
    assert.equal(answer.error?.name, 'AuthUnknownError');
  }
}

async function trusting() {
  const { client, events } = browser();
  const { session, user } = good(await client.signUp({ email, password, options: { data } }));
  assert.ok(session.access_token);
  assert.equal(user.user_metadata.firstName, 'Asha');
  assert.ok(events.includes('SIGNED_IN'));
  await readAndRefresh(client);
  bad(await browser().client.signUp({ email, password }), 'user_already_exists', 422);
  good(await client.signOut());
  good(await client.signInWithPassword({ email, password }));
}

/** What the button of our page does with a link of another client: the place where it leads. */
async function press(link) {
  const fragment = new URLSearchParams(new URL(link).hash.slice(1));
  const token_hash = fragment.get('token_hash');
  assert.match(token_hash, /^pkce_/);
  const body = JSON.stringify({ type: fragment.get('type'), token_hash, answer: 'redirect' });
  const answer = await fetch(`${url}/verify`, { method: 'POST', body });
  assert.equal(answer.status, 200);
  return new URL((await answer.json()).redirect_to);
}

async function signInByCode() {
  const { client, events } = browser();
  good(await client.signInWithOtp({ email, options: { data } }));
  const { code } = await mail();
  bad(await client.verifyOtp({ email, token: '00000', type: 'email' }), 'otp_expired', 403);
  const { session, user } = good(await client.verifyOtp({ email, token: code, type: 'email' }));
  assert.ok(session.access_token);
  assert.deepEqual(user.user_metadata, data);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
  return client;
}

async function signUpWithPkce() {
  const { client, events } = browser('pkce');
  const usha = 'usha@example.test';
  const emailRedirectTo = 'https://sukoon.example/callback';
  const options = { emailRedirectTo };
  good(await client.signUp({ email: usha, password, options }));
  const place = await press((await mail()).link);
  assert.equal(`${place.origin}${place.pathname}`, emailRedirectTo);
  const code = place.searchParams.get('code');
  const thief = await browser('pkce').client.exchangeCodeForSession(code);
  assert.ok(thief.error, 'a code without its verifier opens nothing');
  const { session } = good(await client.exchangeCodeForSession(code));
  assert.equal(session.user.email, usha);
  assert.deepEqual(events, ['INITIAL_SESSION', 'SIGNED_IN']);
  good(await browser().client.signInWithPassword({ email: usha, password }));
}

async function recoverWithPkce() {
  const { client, events } = browser('pkce');
  good(await client.resetPasswordForEmail('usha@example.test'));
  const place = await press((await mail()).link);
  good(await client.exchangeCodeForSession(place.searchParams.get('code')));
  assert.ok(events.includes('PASSWORD_RECOVERY'), events.join());
  good(await client.updateUser({ password: 'a third garden' }));
}

async function changeWithNonce(client) {
  good(await client.reauthenticate());
  const { code: nonce } = await mail();
  good(await client.updateUser({ password: 'a louder garden', nonce }));
  good(await browser().client.signInWithPassword({ email, password: 'a louder garden' }));
}

async function changeAddress(client) {
  const next = 'asha.rao@example.test';
  const { user } = good(await client.updateUser({ email: next }));
  assert.equal(user.new_email, next);
  const { code, purpose } = await mail();
  assert.equal(purpose, 'email_change_new');
  const half = good(await client.verifyOtp({ email: next, token: code, type: 'email_change' }));
  assert.equal(half.session ?? null, null);
  assert.equal(good(await client.getUser()).user.email, email);
  good(await client.resend({ type: 'email_change', email: 'nobody@example.test' }));
}

async function flows() {
  const client = await signInByCode();
  await changeWithNonce(client);
  await changeAddress(client);
  await signUpWithPkce();
  await recoverWithPkce();
}

async function confirming() {
  const client = await signUpAndConfirm();
  await readAndRefresh(client);
  const known = await changeAccount(client);
  await signInAndOut(known);
  await recover();
  await followLink();
  await askForWhatIsNotThere();
}

await { trusting, confirming, flows }[part]();
for (const close of clients) close();
