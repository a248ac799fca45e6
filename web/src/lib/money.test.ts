import { expect, test } from 'vitest';
import { formatMoney, formatPrice } from './money';

test('whole rupees have no fraction and Indian grouping', () => {
  expect(formatMoney(50_000n)).toBe('₹500');
  expect(formatMoney(110_000n)).toBe('₹1,100');
  expect(formatMoney(12_345_600n)).toBe('₹1,23,456');
  expect(formatMoney(0n)).toBe('₹0');
});

test('paise are shown where there are any', () => {
  expect(formatMoney(110_050n)).toBe('₹1,100.50');
  expect(formatMoney(5n)).toBe('₹0.05');
});

test('a negative amount keeps its sign in front', () => {
  expect(formatMoney(-50_001n)).toBe('-₹500.01');
});

test('amounts beyond what a float holds stay exact', () => {
  expect(formatMoney(900_719_925_474_099_301n)).toBe('₹9,00,71,99,25,47,40,993.01');
});

test('other currencies have their own sign', () => {
  expect(formatMoney(1_000n, 'USD')).toBe('$10');
});

test('a price that is not there is empty', () => {
  expect(formatPrice(undefined)).toBe('');
  expect(formatPrice({ minorUnits: 70_000n, currencyCode: 'INR' })).toBe('₹700');
});
