import { expect, test } from 'vitest';
import { clearFlowKeys, FLOW_KEYS, readTab, writeTab } from '@/lib/tab-storage';
import { contactField, validateContact } from './contact-rules';
import { clearDraft, EMPTY_CONTACT, prefill, readDraft, writeDraft } from './draft';
import { fingerprint, idempotencyKey, renewIdempotencyKey } from './request-idempotency-key';

const TYPED = { ...EMPTY_CONTACT, firstName: 'Asha', email: 'asha@example.org', notes: 'private' };

test('a draft survives a reload without notes and without the consent', () => {
  writeDraft({ contact: TYPED, inPerson: true, agreed: true });
  expect(JSON.stringify(sessionStorage)).not.toContain('private');
  expect(readDraft()).toEqual({
    contact: { ...TYPED, notes: '' },
    inPerson: true,
    agreed: false,
  });
  clearDraft();
  expect(readDraft().contact).toEqual(EMPTY_CONTACT);
});

test('a draft in another form is ignored', () => {
  writeTab('bookingDraft', '{"firstName": 7');
  expect(readDraft().contact).toEqual(EMPTY_CONTACT);
});

test('the account fills only what is empty', () => {
  const filled = prefill(TYPED, { firstName: 'Other', lastName: 'Rao', phone: '+919876543210' });
  expect(filled).toEqual({ ...TYPED, lastName: 'Rao', phone: '+919876543210' });
});

test('the keys of the flow have their agreed names and are cleared together', () => {
  expect(FLOW_KEYS).toEqual({
    service: 'selectedService',
    dateTime: 'selectedDateTime',
    order: 'paymentLinkId',
  });
  for (const key of Object.values(FLOW_KEYS)) writeTab(key, 'x');
  clearFlowKeys();
  expect(Object.values(FLOW_KEYS).map(readTab)).toEqual([null, null, null]);
});

test('the same content has the same key until a new booking is wanted', () => {
  const key = idempotencyKey('a');
  expect(idempotencyKey('a')).toBe(key);
  expect(idempotencyKey('b')).not.toBe(key);
  expect(key.length).toBeLessThanOrEqual(64);
  renewIdempotencyKey();
  expect(idempotencyKey('a')).not.toBe(key);
  expect(fingerprint('')).toBe('811c9dc5');
});

test('contact rules name what is missing', () => {
  expect(validateContact(EMPTY_CONTACT)).toEqual({
    firstName: 'First name is required',
    lastName: 'Last name is required',
    email: 'Email is required',
  });
  const good = { ...TYPED, lastName: 'Rao', phone: '98765 43210' };
  expect(validateContact(good)).toEqual({});
  expect(validateContact({ ...good, email: 'asha at home' }).email).toBe('Invalid email address');
  expect(validateContact({ ...good, phone: 'call me' }).phone).toMatch(/phone number/);
});

test('error paths of the server lead to inputs', () => {
  expect(contactField('contact.first_name')).toBe('firstName');
  expect(contactField('contact.firstName')).toBe('firstName');
  expect(contactField('contact.email')).toBe('email');
  expect(contactField('starts_at')).toBeUndefined();
});
