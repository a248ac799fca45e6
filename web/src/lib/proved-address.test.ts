import { expect, test, vi } from 'vitest';
import { accessToken } from './auth';
import { lacksProof } from './proved-address';

vi.mock('./auth', () => ({ accessToken: vi.fn() }));

function token(claims: object): string {
  const json = btoa(JSON.stringify(claims)).replace(/\+/g, '-').replace(/\//g, '_');
  return `e30.${json.replace(/=+$/, '')}.signature`;
}

test.each([
  ['an address that is not proved', token({ email_verified: false }), true],
  ['a proved address', token({ email_verified: true, name: 'ÿÿ>?' }), false],
  ['nobody', null, false],
  ['what is no token', 'x', false],
])('%s', async (_, held, expected) => {
  vi.mocked(accessToken).mockResolvedValue(held);
  expect(await lacksProof()).toBe(expected);
});
