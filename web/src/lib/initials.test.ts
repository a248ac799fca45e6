import { expect, test } from 'vitest';
import { initials } from './initials';

test('initials are whole letters', () => {
  const email = 'asha@example.org';
  expect(initials({ firstName: 'asha', lastName: 'Rao', email })).toBe('AR');
  expect(initials({ firstName: '𝗔sha', lastName: '', email })).toBe('𝗔');
  expect(initials({ firstName: '', lastName: '', email })).toBe('A');
  expect(initials({ firstName: '', lastName: '', email: '' })).toBe('?');
});
