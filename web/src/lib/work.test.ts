import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { fetchWithWork } from './work';
import { searchWork, sha256 } from './work-search';

function hex(words: Uint32Array): string {
  return [...words].map((word) => word.toString(16).padStart(8, '0')).join('');
}

test('the hash is SHA-256', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 200]) {
    const text = 'क'.repeat(length % 7) + 'a'.repeat(length);
    expect(hex(sha256(text))).toBe(createHash('sha256').update(text).digest('hex'));
  }
});

test('the work has as many zero bits as were asked for', () => {
  const token = searchWork('12.a-challenge_x');
  expect(token).toMatch(/^a-challenge_x\.\d+$/);
  expect(hex(sha256(token))).toMatch(/^000/);
});

function response(status: number, challenge?: string): Response {
  const headers = challenge ? { 'x-work-challenge': challenge } : undefined;
  return new Response('{}', { status, headers });
}

const POST = { method: 'POST', body: '{"email":"asha@example.org","gotrue_meta_security":{}}' };

test('a refused request is repeated once with the work', async () => {
  const send = vi.fn<typeof fetch>();
  send.mockResolvedValueOnce(response(429, '17.c')).mockResolvedValueOnce(response(200));
  const answer = await fetchWithWork(send, async (asked) => `${asked}.7`)('/token', POST);
  expect(answer.status).toBe(200);
  expect(send).toHaveBeenCalledTimes(2);
  expect(JSON.parse(send.mock.calls[1]?.[1]?.body as string)).toEqual({
    email: 'asha@example.org',
    gotrue_meta_security: { captcha_token: '17.c.7' },
  });
});

test('a second refusal, and one that asks for no work, is the answer', async () => {
  const send = vi.fn<typeof fetch>().mockImplementation(async () => response(429, '17.c'));
  expect((await fetchWithWork(send, async () => 'token')('/token', POST)).status).toBe(429);
  expect(send).toHaveBeenCalledTimes(2);
  const plain = vi.fn<typeof fetch>().mockImplementation(async () => response(429));
  const solve = vi.fn(async () => 'token');
  expect((await fetchWithWork(plain, solve)('/token', POST)).status).toBe(429);
  expect(plain).toHaveBeenCalledTimes(1);
  expect(solve).not.toHaveBeenCalled();
});

test('where no work can be done, the refusal is the answer', async () => {
  const send = vi.fn<typeof fetch>().mockImplementation(async () => response(429, '17.c'));
  const solve = () => Promise.reject(new Error('no worker'));
  expect((await fetchWithWork(send, solve)('/token', POST)).status).toBe(429);
  expect(send).toHaveBeenCalledTimes(1);
});
