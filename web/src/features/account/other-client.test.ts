import { afterEach, expect, test, vi } from 'vitest';
import { isForOtherClient, redeemForOtherClient } from './other-client';

const HERE = 'https://sukoon.example';

afterEach(() => {
  vi.unstubAllGlobals();
});

function link(tokenHash: string, redirectTo: string) {
  return { tokenHash, type: 'signup' as const, account: '', redirectTo };
}

test('links of other clients are those with PKCE and those to other origins', () => {
  expect(isForOtherClient(link('abc', ''), HERE)).toBe(false);
  expect(isForOtherClient(link('abc', `${HERE}/sign-in`), HERE)).toBe(false);
  expect(isForOtherClient(link('abc', 'no address'), HERE)).toBe(false);
  expect(isForOtherClient(link('pkce_abc', `${HERE}/callback`), HERE)).toBe(true);
  expect(isForOtherClient(link('abc', 'https://app.example/in'), HERE)).toBe(true);
});

function played(status: number, body: object) {
  const call = vi.fn(async () => new Response(JSON.stringify(body), { status }));
  vi.stubGlobal('fetch', call);
  return call;
}

test('the service says where the client is', async () => {
  const place = 'https://app.example/in?code=0';
  const call = played(200, { redirect_to: place });
  const answer = await redeemForOtherClient(link('pkce_abc', ''));
  expect(answer).toEqual({ data: { redirectTo: place }, error: null });
  expect(call).toHaveBeenCalledExactlyOnceWith(
    `${window.location.origin}/auth/v1/verify`,
    expect.objectContaining({
      body: JSON.stringify({ type: 'signup', token_hash: 'pkce_abc', answer: 'redirect' }),
    }),
  );
});

test('a link that is used up is an error with its code', async () => {
  played(403, { code: 'otp_expired', message: 'Email link is invalid or has expired' });
  const { data, error } = await redeemForOtherClient(link('pkce_abc', ''));
  expect(data).toBeUndefined();
  expect(error).toMatchObject({ code: 'otp_expired', status: 403 });
});
