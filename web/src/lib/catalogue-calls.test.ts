import { expect, test, vi } from 'vitest';
import { fetchSnapshot } from './catalogue-calls';

test('no answer that the browser kept is put over what a newer document says', async () => {
  const fetched = vi.fn((_address: string, _how?: RequestInit) =>
    Promise.resolve(Response.json({ practice: {}, services: [{ serviceId: 'calm' }] })),
  );
  vi.stubGlobal('fetch', fetched);
  const snapshot = await fetchSnapshot();
  vi.unstubAllGlobals();
  expect(snapshot?.services[0]?.serviceId).toBe('calm');
  expect(fetched).toHaveBeenCalledTimes(4);
  for (const [address, how] of fetched.mock.calls) {
    expect(how?.cache, address).toBe('no-cache');
  }
});
