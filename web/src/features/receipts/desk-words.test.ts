/** How a receipt names a payment at the practice's desk. */
import { expect, test } from 'vitest';
import { deskWords } from './desk-words';

test('a payment at the desk says how, and others keep their reference', () => {
  expect(deskWords('desk_cash_0123')).toBe('In cash at the practice');
  expect(deskWords('desk_upi_0123')).toBe('By UPI at the practice');
  expect(deskWords('pay_Q0000000000001')).toBeUndefined();
});
