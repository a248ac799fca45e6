/**
 * What the contract's client library needs a browser for: links that come back to a page, and a
 * device with keys. All its methods: `services/identity/tests/auth-js*.mjs`.
 */
import { VirtualDevice } from './support/authenticator';
import type { Flow, LibraryClient } from './support/client-library';
import { arrive, mailedLink, press, libraryTest as test } from './support/library-test';
import { newPerson } from './support/people';
import { expect } from './support/test';

const FLOWS: Flow[] = ['implicit', 'pkce'];

async function levels(client: LibraryClient): Promise<[string, string]> {
  const { currentLevel, nextLevel } = await client.good('mfa.getAuthenticatorAssuranceLevel');
  return [currentLevel, nextLevel];
}

for (const flow of FLOWS) {
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
}

test('a security key that is plugged in is a second factor', async ({ world }) => {
  const library = await world.library('pkce');
  const key = await VirtualDevice.of(library.page, 'usb');
  const client = await library.client();
  await arrive(world, client, 'Uma');
  await client.good('mfa.webauthn.register', { friendlyName: 'key' });
  const { all } = await client.good('mfa.listFactors');
  expect(all).toMatchObject([{ factor_type: 'webauthn', status: 'verified' }]);
  await client.good('mfa.webauthn.authenticate', { factorId: all[0].id });
  await key.lose();
  expect(await levels(client)).toEqual(['aal2', 'aal2']);
  const verified = 'MFA_CHALLENGE_VERIFIED';
  expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', verified, verified]);
});

test('a passkey is added, named, signs in, and is removed', async ({ world }) => {
  const library = await world.library('implicit');
  const device = await VirtualDevice.of(library.page);
  const client = await library.client();
  const { email } = await arrive(world, client, 'Vimala');
  expect(await client.good('passkey.startRegistration')).toHaveProperty('challenge_id');
  const { id: passkeyId } = await client.good('registerPasskey');
  const named = await client.good('passkey.update', { passkeyId, friendlyName: 'Laptop' });
  expect(named.friendly_name).toBe('Laptop');
  expect(await client.good('passkey.list')).toMatchObject([{ id: passkeyId }]);
  const other = await library.client();
  expect(await other.good('passkey.startAuthentication')).toHaveProperty('challenge_id');
  const { session } = await other.good('signInWithPasskey');
  expect(session.user.email).toBe(email);
  expect(await levels(other)).toEqual(['aal2', 'aal2']);
  await other.good('passkey.delete', { passkeyId });
  expect(await other.good('passkey.list')).toEqual([]);
  const { error } = await (await library.client()).ask('signInWithPasskey');
  expect(error).toMatchObject({ code: 'invalid_credentials', status: 400 });
  await device.lose();
  expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  expect(await other.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
});
