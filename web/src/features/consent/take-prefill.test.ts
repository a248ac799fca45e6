import { afterEach, expect, test } from 'vitest';
import { readConsentDraft, writeConsentDraft } from './consent-draft';
import { takePrefill } from './take-prefill';

const PREFILL = '#name=Asha+Rao&email=asha%40example.org';

afterEach(() => window.history.replaceState(null, '', '/'));

test('name and address go from the address into the draft', () => {
  window.history.replaceState({ key: 1 }, '', `/book?service=meditation${PREFILL}`);
  takePrefill();
  expect(readConsentDraft()).toMatchObject({ fullName: 'Asha Rao', email: 'asha@example.org' });
  expect(window.location.hash).toBe('');
  expect(window.location.search).toBe('?service=meditation');
  expect(window.history.state).toEqual({ key: 1 });
});

test('what was typed stays, and another fragment is left alone', () => {
  writeConsentDraft({ fullName: 'A. Verma', email: '', signature: '' });
  window.history.replaceState(null, '', `/book${PREFILL}`);
  takePrefill();
  expect(readConsentDraft()).toMatchObject({ fullName: 'A. Verma', email: 'asha@example.org' });
  window.history.replaceState(null, '', '/book#times');
  takePrefill();
  expect(window.location.hash).toBe('#times');
});
