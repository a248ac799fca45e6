import { expect, test } from 'vitest';
import { createQueryClient, forgetPersonalReads } from './query-client';

test('when a person goes, what a link has opened stays, and what is theirs does not', () => {
  const client = createQueryClient();
  const ofNoAccount = [
    ['payment-page', 'key'],
    ['page-receipts', 'key'],
    ['session-page', 'key'],
    ['scheduling-visit', 'meditation', 'x'],
  ];
  const ofPerson = [
    ['join', 'u1', 'bkg_1'],
    ['memberships', 'u1'],
  ];
  for (const key of [...ofNoAccount, ...ofPerson]) client.setQueryData(key, 'x');
  forgetPersonalReads(client);
  for (const key of ofNoAccount) expect(client.getQueryData(key)).toBe('x');
  for (const key of ofPerson) expect(client.getQueryData(key)).toBeUndefined();
});
