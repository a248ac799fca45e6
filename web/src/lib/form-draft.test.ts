/** What a tab keeps of a form, what an account fills in, and the keys of attempts. */
import { expect, test } from 'vitest';
import {
  accountValues,
  prefill,
  readFormDraft,
  withoutAccount,
  writeFormDraft,
} from './form-draft';
import { endAttempt, keyOfAttempt } from './idempotency-key';

const EMPTY = { name: '', email: '', text: '' };
const GOOD = { name: 'Asha Rao', email: 'asha@example.org', text: 'Hello.' };

test('a draft survives a reload, and nothing is left of an empty one', () => {
  expect(readFormDraft('draft', EMPTY)).toEqual(EMPTY);
  writeFormDraft('draft', GOOD);
  expect(readFormDraft('draft', EMPTY)).toEqual(GOOD);
  writeFormDraft('draft', EMPTY);
  expect(sessionStorage.length).toBe(0);
});

test('a foreign value in the tab does no harm', () => {
  for (const other of ['{"name":7', '7', 'null', '[]', '{"name":{"a":1},"more":"x"}']) {
    sessionStorage.setItem('draft', other);
    expect(readFormDraft('draft', EMPTY)).toEqual(EMPTY);
  }
});

test('the account fills what is empty and nothing else', () => {
  const account = accountValues({ firstName: 'Ravi', lastName: '', email: 'ravi@example.org' });
  expect(prefill(EMPTY, account)).toMatchObject({ name: 'Ravi', email: account.email });
  expect(prefill(GOOD, account)).toEqual(GOOD);
  expect(withoutAccount(prefill(EMPTY, account), account)).toEqual(EMPTY);
  expect(withoutAccount(GOOD, account)).toEqual(GOOD);
});

test('the same content keeps its key until its attempt is over, each form its own', () => {
  const first = keyOfAttempt('one', ['a', 'b']);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(keyOfAttempt('one', ['a', 'b'])).toBe(first);
  expect(keyOfAttempt('two', ['a', 'b'])).not.toBe(first);
  const other = keyOfAttempt('one', ['ab', '']);
  expect(other).not.toBe(first);
  endAttempt('one');
  expect(keyOfAttempt('one', ['ab', ''])).not.toBe(other);
});
