import { expect, test } from 'vitest';
import {
  type ContactValues,
  contactField,
  EMPTY_MESSAGE,
  isIncomplete,
  lettersLeft,
  validateMessage,
} from './contact-rules';

const GOOD: ContactValues = {
  name: 'Asha Rao',
  email: 'asha@example.org',
  message: 'When could I come by?',
};

test('all three are asked for, in the order of the form', () => {
  expect(validateMessage(GOOD)).toEqual({});
  expect(Object.keys(validateMessage(EMPTY_MESSAGE))).toEqual(['name', 'email', 'message']);
});

test('blanks alone are nothing', () => {
  const values = { ...GOOD, name: ' ', message: '\n\t ' };
  const errors = validateMessage(values);
  expect(Object.keys(errors)).toEqual(['name', 'message']);
  expect(isIncomplete(values, errors)).toBe(true);
});

test('what is wrong but not empty is not called missing', () => {
  const values = { ...GOOD, email: 'asha' };
  const errors = validateMessage(values);
  expect(errors.email).toBe('Invalid email address');
  expect(isIncomplete(values, errors)).toBe(false);
  expect(isIncomplete(GOOD, { email: 'Our server does not like it' })).toBe(false);
});

test('lengths are counted as the server counts them', () => {
  const long = { name: 'न'.repeat(120), email: GOOD.email, message: 'क'.repeat(5000) };
  expect(validateMessage(long)).toEqual({});
  expect(validateMessage({ ...GOOD, name: 'a'.repeat(121) }).name).toContain('120');
  expect(validateMessage({ ...GOOD, message: 'a'.repeat(5001) }).message).toContain('by 1 char');
  expect(validateMessage({ ...GOOD, message: 'a'.repeat(5002) }).message).toContain('by 2 char');
  const email = `${'a'.repeat(243)}@example.org`;
  expect(validateMessage({ ...GOOD, email }).email).toBe('Invalid email address');
});

test('the counter comes near the limit only', () => {
  expect(lettersLeft('a'.repeat(4499))).toBeUndefined();
  expect(lettersLeft('a'.repeat(4999))).toBe('1 character left');
  expect(lettersLeft('a'.repeat(5002))).toBe('2 characters too many');
});

test('only fields of the form take an error', () => {
  expect(contactField('message')).toBe('message');
  expect(contactField('idempotency_key')).toBeUndefined();
});
