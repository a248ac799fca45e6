/** Second factors, passkeys and what is off, by the contract's client library in a browser. */
import { appCode, nextAppCode, VirtualDevice } from './support/authenticator';
import { type Flow, type LibraryClient, LibraryPage } from './support/client-library';
import { arrive, libraryTest as test } from './support/library-test';
import { digitsOf, newPhone } from './support/other-ways-in';
import { newPerson } from './support/people';
import { expect, plainTest } from './support/test';

const FLOWS: Flow[] = ['implicit', 'pkce'];

async function levels(client: LibraryClient): Promise<[string, string]> {
  const { currentLevel, nextLevel } = await client.good('mfa.getAuthenticatorAssuranceLevel');
  return [currentLevel, nextLevel];
}

for (const flow of FLOWS) {
  test(`${flow}: mfa with an authenticator app`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    await arrive(world, client, 'Sarita');
    expect(await levels(client)).toEqual(['aal1', 'aal1']);
    const app = { factorType: 'totp', friendlyName: 'phone' };
    const { id: factorId, totp } = await client.good('mfa.enroll', app);
    const { id: challengeId } = await client.good('mfa.challenge', { factorId });
    const wrong = await client.bad('mfa.verify', { factorId, challengeId, code: 'abcdef' });
    expect(wrong).toEqual(['mfa_verification_failed', 422]);
    await client.good('mfa.verify', { factorId, challengeId, code: appCode(totp.secret) });
    expect(await levels(client)).toEqual(['aal2', 'aal2']);
    const code = nextAppCode(totp.secret);
    await client.good('mfa.challengeAndVerify', { factorId, code });
    expect((await client.good('mfa.listFactors')).totp).toMatchObject([{ id: factorId }]);
    await client.good('mfa.unenroll', { factorId });
    expect((await client.good('mfa.listFactors')).all).toEqual([]);
    const verified = 'MFA_CHALLENGE_VERIFIED';
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', verified, verified]);
  });

  test(`${flow}: mfa with a phone`, async ({ world }) => {
    const client = await (await world.library(flow)).client();
    await arrive(world, client, 'Tara');
    const phone = newPhone();
    const wanted = { factorType: 'phone', friendlyName: 'phone', phone };
    const enrolled = await client.good('mfa.enroll', wanted);
    const factorId = enrolled.id;
    expect(enrolled).toMatchObject({ type: 'phone', phone });
    const asked = { factorId, channel: 'whatsapp' };
    const { id: challengeId } = await client.good('mfa.challenge', asked);
    const early = await client.bad('mfa.challenge', { factorId, channel: 'sms' });
    expect(early).toEqual(['over_sms_send_rate_limit', 429]);
    const wrong = await client.bad('mfa.verify', { factorId, challengeId, code: 'abcdef' });
    expect(wrong).toEqual(['mfa_verification_failed', 422]);
    const code = await digitsOf(world.practice.sandboxUrl, phone, 1);
    await client.good('mfa.verify', { factorId, challengeId, code });
    expect(await levels(client)).toEqual(['aal2', 'aal2']);
    const used = await client.bad('mfa.verify', { factorId, challengeId, code });
    expect(used).toEqual(['mfa_ip_address_mismatch', 422]);
    const listed = (await client.good('mfa.listFactors')).phone;
    expect(listed).toMatchObject([{ id: factorId, status: 'verified', phone: phone.slice(1) }]);
    await client.good('mfa.unenroll', { factorId });
    expect((await client.good('mfa.listFactors')).all).toEqual([]);
    const verified = 'MFA_CHALLENGE_VERIFIED';
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN', verified]);
  });

  test(`${flow}: mfa with a security key of this browser`, async ({ world }) => {
    const library = await world.library(flow);
    // The library asks for one that is plugged in.
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

  test(`${flow}: a passkey is added, named, signs in, and is removed`, async ({ world }) => {
    const library = await world.library(flow);
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

  plainTest(`${flow}: what is off says so`, async ({ page, practice }) => {
    const library = await LibraryPage.open(page, practice.url, flow);
    const client = await library.client();
    const phone = '+919876543210';
    const refusals: [string, object | undefined, string, number][] = [
      ['signInAnonymously', undefined, 'anonymous_provider_disabled', 422],
      ['signInWithSSO', { domain: 'x.example' }, 'saml_provider_disabled', 404],
      ['signInWithIdToken', { provider: 'google', token: 'x' }, 'provider_disabled', 400],
      ['signInWithOtp', { phone }, 'phone_provider_disabled', 400],
      [
        'signInWithWeb3',
        { chain: 'ethereum', message: 'x', signature: '0x00' },
        'web3_provider_disabled',
        422,
      ],
    ];
    for (const [method, given, code, status] of refusals) {
      expect(await client.bad(method, given), method).toEqual([code, status]);
    }
    // Without confirmation, an account is signed in at once.
    const { email, password } = newPerson('Wamika');
    await client.good('signUp', { email, password });
    const factor = { factorType: 'phone', friendlyName: 'x', phone };
    const enrolment = await client.bad('mfa.enroll', factor);
    expect(enrolment).toEqual(['mfa_phone_enroll_not_enabled', 422]);
    const linking = await client.bad('linkIdentity', { provider: 'google' });
    expect(linking).toEqual(['manual_linking_disabled', 404]);
    const id = '00000000-0000-7000-8000-000000000000';
    for (const [method, ...given] of [
      ['oauth.getAuthorizationDetails', id],
      ['oauth.approveAuthorization', id],
      ['oauth.denyAuthorization', id],
      ['oauth.listGrants'],
      ['oauth.revokeGrant', { clientId: id }],
    ] as const) {
      // The contract's server answers "404 page not found", which is no JSON.
      expect((await client.ask(method, ...given)).error?.name, method).toBe('AuthUnknownError');
    }
    expect(await client.events()).toEqual(['INITIAL_SESSION', 'SIGNED_IN']);
  });
}
