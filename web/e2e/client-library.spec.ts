/** The contract's client library in a browser, in both flows: each method, with its events. */
import type { Flow } from './support/client-library';
import {
  arrive,
  mailedCode,
  mailedLink,
  press,
  signUp,
  takeUp,
  libraryTest as test,
} from './support/library-test';
import { approve, digitsOf, idTokenOf, newPhone } from './support/other-ways-in';
import { newPerson } from './support/people';
import { expect } from './support/test';

const FLOWS: Flow[] = ['implicit', 'pkce'];

/** A person as a provider knows them. */
function providersPerson(name: string) {
  const { email } = newPerson(name);
  return { sub: email, email, email_verified: true as const, name: `${name} Rao` };
}

for (const flow of FLOWS) {
  test(`${flow}: signUp, and verifyOtp with its code`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { email, password } = newPerson('Asha');
    const { error } = await client.ask('signUp', { email, password: 'short' });
    expect(error).toMatchObject({ name: 'AuthWeakPasswordError', code: 'weak_password' });
    const signedUp = await client.good('signUp', { email, password });
    expect(signedUp).toMatchObject({ session: null, user: { email } });
    expect(await client.events()).toEqual(['INITIAL_SESSION']);
    const wrong = { email, token: '00000', type: 'signup' };
    expect(await client.bad('verifyOtp', wrong)).toEqual(['otp_expired', 403]);
    const token = await mailedCode(world, email);
    const { sign_up_secret } = signedUp.user;
    await client.good('verifyOtp', { email, token, type: 'signup', sign_up_secret });
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: signInWithPassword`, async ({ world }) => {
    const library = await world.library(flow);
    const { email, password } = await signUp(world, await library.client(), 'Bina');
    const client = await library.client();
    const wrong = await client.bad('signInWithPassword', { email, password: 'not the right one' });
    expect(wrong).toEqual(['invalid_credentials', 400]);
    const { session } = await client.good('signInWithPassword', { email, password });
    expect(session).toMatchObject({ token_type: 'bearer', user: { email } });
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: signInWithOtp, and verifyOtp with its code`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const person = await arrive(world, client, 'Chitra');
    expect((await client.good('getUser')).user).toMatchObject({ email: person.email });
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: a mail's link comes back, and initialize takes it up`, async ({ world }) => {
    const library = await world.library(flow);
    const first = await library.client();
    const { email } = newPerson('Dipa');
    const options = { emailRedirectTo: library.address };
    await first.good('signInWithOtp', { email, options });
    const place = await press(world, await mailedLink(world, email));
    expect(`${place.origin}${place.pathname}`).toBe(library.address);
    expect(place.searchParams.has('code')).toBe(flow === 'pkce');
    // The same storage, because the verifier is there.
    await library.visit(place.href);
    const client = await library.client(first.key);
    await client.good('initialize');
    // With PKCE, the exchange and then the initialization say so.
    const signedIn = flow === 'pkce' ? ['SIGNED_IN', 'SIGNED_IN'] : ['SIGNED_IN'];
    const told = async () => [...(await client.events())].sort();
    await expect.poll(told).toEqual(['INITIAL_SESSION', ...signedIn]);
    expect((await client.good('getSession')).session).toMatchObject({ user: { email } });
    expect(library.page.url()).not.toMatch(/access_token|code=/);
  });

  test(`${flow}: exchangeCodeForSession`, async ({ world }) => {
    const library = await world.library(flow);
    const client = await library.client();
    const { error } = await client.ask('exchangeCodeForSession', 'no such code');
    const missing = flow === 'pkce' ? 'AuthPKCECodeVerifierMissingError' : 'AuthApiError';
    expect(error?.name).toBe(missing);
    if (flow === 'implicit') return;
    const { email } = newPerson('Esha');
    await client.good('signInWithOtp', { email, options: { emailRedirectTo: library.address } });
    const place = await press(world, await mailedLink(world, email));
    const code = place.searchParams.get('code');
    const thief = await library.client();
    expect((await thief.ask('exchangeCodeForSession', code)).error).not.toBeNull();
    const { session } = await client.good('exchangeCodeForSession', code);
    expect(session.user.email).toBe(email);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: resetPasswordForEmail, and updateUser with a password`, async ({ world }) => {
    const library = await world.library(flow);
    const known = await arrive(world, await library.client(), 'Farida');
    const client = await library.client();
    await client.good('resetPasswordForEmail', known.email, { redirectTo: library.address });
    if (flow === 'pkce') {
      const place = await press(world, await mailedLink(world, known.email, 2));
      await client.good('exchangeCodeForSession', place.searchParams.get('code'));
    } else {
      const token = await mailedCode(world, known.email, 2);
      await client.good('verifyOtp', { email: known.email, token, type: 'recovery' });
    }
    await client.good('updateUser', { password: 'a third garden' });
    const again = await client.bad('resetPasswordForEmail', known.email);
    expect(again).toEqual(['over_email_send_rate_limit', 429]);
    const events = ['INITIAL_SESSION', 'PASSWORD_RECOVERY', 'USER_UPDATED'];
    expect(await client.events()).toEqual(events);
  });

  test(`${flow}: getSession, getUser and getClaims`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    expect(await client.good('getSession')).toEqual({ session: null });
    expect((await client.ask('getUser')).error?.name).toBe('AuthSessionMissingError');
    const { email } = await arrive(world, client, 'Gauri');
    const { user } = await client.good('getUser');
    expect(user).toMatchObject({ email, user_metadata: { firstName: 'Gauri' } });
    const { claims, header } = await client.good('getClaims');
    expect([header.alg, claims.sub, claims.aal]).toEqual(['ES256', user.id, 'aal1']);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: refreshSession and setSession`, async ({ world }) => {
    const library = await world.library(flow);
    const client = await library.client();
    await arrive(world, client, 'Hema');
    const before = (await client.good('getSession')).session;
    const { session } = await client.good('refreshSession');
    expect(session.refresh_token).not.toBe(before.refresh_token);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'TOKEN_REFRESHED']);
    const other = await library.client();
    const { access_token, refresh_token } = session;
    await other.good('setSession', { access_token, refresh_token });
    expect(await other.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: reauthenticate, and updateUser with its nonce`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { email, password } = await arrive(world, client, 'Indu');
    await client.good('reauthenticate');
    const nonce = await mailedCode(world, email, 2);
    await client.good('updateUser', { password, nonce });
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED']);
  });

  test(`${flow}: updateUser with an address, which both confirm`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { email } = await arrive(world, client, 'Jaya');
    const next = newPerson('Jaya').email;
    const { user } = await client.good('updateUser', { email: next });
    expect(user).toMatchObject({ email, new_email: next });
    const type = 'email_change';
    const fresh = await mailedCode(world, next);
    const half = await client.good('verifyOtp', { email: next, token: fresh, type });
    expect(half.session ?? null).toBeNull();
    const token = await mailedCode(world, email, 2);
    await client.good('verifyOtp', { email, token, type });
    expect((await client.good('getUser')).user.email).toBe(next);
    const events = ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN'];
    expect(await client.events()).toEqual(events);
  });

  test(`${flow}: resend`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { email, password } = newPerson('Kamala');
    await client.good('signUp', { email, password });
    const again = await client.bad('resend', { type: 'signup', email });
    expect(again).toEqual(['over_email_send_rate_limit', 429]);
    await client.good('resend', { type: 'signup', email: newPerson('Kamala').email });
    expect(await client.events()).toEqual(['INITIAL_SESSION']);
  });

  test(`${flow}: signOut of others, here and everywhere`, async ({ world }) => {
    const library = await world.library(flow);
    const one = await library.client();
    const { email, password } = await signUp(world, one, 'Lata');
    const other = await library.client();
    await other.good('signInWithPassword', { email, password });
    await one.good('signOut', { scope: 'others' });
    expect((await other.ask('getUser')).error?.name).toBe('AuthSessionMissingError');
    await one.good('getUser');
    await one.good('signOut', { scope: 'local' });
    expect(await one.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'SIGNED_OUT']);
    await one.good('signInWithPassword', { email, password });
    await one.good('signOut');
    expect(await one.good('getSession')).toEqual({ session: null });
    expect((await one.events()).slice(3)).toEqual(['SIGNED_IN', 'SIGNED_OUT']);
  });

  test(`${flow}: onAuthStateChange, automatic refreshes and dispose`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    await client.unsubscribe();
    await arrive(world, client, 'Mala');
    await client.good('startAutoRefresh');
    await client.good('stopAutoRefresh');
    expect(await client.events()).toEqual(['INITIAL_SESSION']);
    await client.good('dispose');
  });

  test(`${flow}: signInAnonymously, and what makes it an account`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { user } = await client.good('signInAnonymously');
    expect(user.is_anonymous).toBe(true);
    const { email } = newPerson('Nila');
    await client.good('updateUser', { email });
    const token = await mailedCode(world, email);
    await client.good('verifyOtp', { email, token, type: 'email_change' });
    const now = (await client.good('getUser')).user;
    expect(now).toMatchObject({ id: user.id, email, is_anonymous: false });
    const events = ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN'];
    expect(await client.events()).toEqual(events);
  });

  test(`${flow}: a phone signs in, and changes`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const { sandboxUrl } = world.practice;
    const [phone, next] = [newPhone(), newPhone()];
    await client.good('signInWithOtp', { phone, options: { channel: 'whatsapp' } });
    const token = await digitsOf(sandboxUrl, phone, 1);
    await client.good('verifyOtp', { phone, token, type: 'sms' });
    await client.good('updateUser', { phone: next });
    const type = 'phone_change';
    const again = await client.bad('resend', { type, phone: next });
    expect(again).toEqual(['over_sms_send_rate_limit', 429]);
    const changed = await digitsOf(sandboxUrl, next, 1);
    await client.good('verifyOtp', { phone: next, token: changed, type });
    expect((await client.good('getUser')).user.phone).toBe(next.slice(1));
    const events = ['INITIAL_SESSION', 'SIGNED_IN', 'USER_UPDATED', 'SIGNED_IN'];
    expect(await client.events()).toEqual(events);
  });

  test(`${flow}: signInWithOAuth`, async ({ world }) => {
    const library = await world.library(flow);
    const client = await library.client();
    const person = providersPerson('Omana');
    const options = { skipBrowserRedirect: true, redirectTo: library.address };
    const { url } = await client.good('signInWithOAuth', { provider: 'keycloak', options });
    const place = await approve(world.practice, url, person);
    await takeUp(client, flow, place);
    expect((await client.good('getUser')).user.email).toBe(person.email);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: signInWithIdToken`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    const person = providersPerson('Parul');
    const token = await idTokenOf(world.practice.sandboxUrl, person);
    const { session } = await client.good('signInWithIdToken', { provider: 'keycloak', token });
    expect(session.user.email).toBe(person.email);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });

  test(`${flow}: linkIdentity, getUserIdentities and unlinkIdentity`, async ({ world }) => {
    const library = await world.library(flow);
    const client = await library.client();
    await arrive(world, client, 'Radha');
    const options = { skipBrowserRedirect: true, redirectTo: library.address };
    const { url } = await client.good('linkIdentity', { provider: 'keycloak', options });
    await takeUp(client, flow, await approve(world.practice, url, providersPerson('Radha')));
    const { identities } = await client.good('getUserIdentities');
    const linked = identities.find(({ provider }: { provider: string }) => provider !== 'email');
    expect([identities.length, linked.provider]).toEqual([2, 'keycloak']);
    await client.good('unlinkIdentity', linked);
    const left = (await client.good('getUserIdentities')).identities;
    const last = await client.bad('unlinkIdentity', left[0]);
    expect(last).toEqual(['single_identity_not_deletable', 422]);
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'SIGNED_IN']);
  });
}
