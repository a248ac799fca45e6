import { beforeEach, expect, test } from 'vitest';
import { clearConsentDraft, readConsentDraft, writeConsentDraft } from './consent-draft';
import {
  consentField,
  EMPTY_CONSENT,
  isAboutConsent,
  stillNeeded,
  validateConsent,
} from './consent-rules';

const WHOLE = { fullName: 'Asha Rao', email: 'asha@example.org', signature: 'A. Rao' };

beforeEach(() => sessionStorage.clear());

test('what is needed is named in the order of the form', () => {
  expect(stillNeeded(EMPTY_CONSENT, false)).toEqual([
    'full name',
    'email',
    'signature',
    'checkbox',
  ]);
  expect(stillNeeded({ ...WHOLE, signature: '  ' }, true)).toEqual(['signature']);
  expect(stillNeeded(WHOLE, true)).toEqual([]);
});

test('wrong fields have their messages', () => {
  expect(validateConsent(WHOLE)).toEqual({});
  expect(validateConsent({ ...WHOLE, email: 'asha' })).toEqual({ email: 'Invalid email address' });
  expect(validateConsent({ ...WHOLE, signature: 'x'.repeat(161) })).toEqual({
    signature: 'At most 160 characters, please',
  });
  expect(Object.keys(validateConsent(EMPTY_CONSENT))).toEqual(['fullName', 'email', 'signature']);
});

test('a refusal leads to its field, or to the whole consent', () => {
  expect(consentField('consent.signature')).toBe('signature');
  expect(consentField('consent.full_name')).toBe('fullName');
  expect(consentField('consent.version')).toBeUndefined();
  expect(isAboutConsent('consent.version')).toBe(true);
  expect(isAboutConsent('contact.email')).toBe(false);
});

test('a reload keeps name and address, and never the signature', () => {
  writeConsentDraft(WHOLE);
  expect(readConsentDraft()).toEqual({ ...WHOLE, signature: '' });
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('A. Rao');
  sessionStorage.setItem('consentDraft', '{"signature":7,"fullName":{}}');
  expect(readConsentDraft()).toEqual(EMPTY_CONSENT);
  clearConsentDraft();
  expect(readConsentDraft()).toEqual(EMPTY_CONSENT);
});
