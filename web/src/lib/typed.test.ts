import { expect, test } from 'vitest';
import cases from '../../../services/shared/kernel/tests/typed_cases.json';
import {
  mayBePhone,
  type Read,
  readDigits,
  readLine,
  readMailAddress,
  readNumber,
  readPhone,
  readText,
} from './typed';

type Case = { typed: string; read?: string; problem?: string };

const READERS: Record<keyof typeof cases, (typed: string) => Read<string>> = {
  lines: (typed) => readLine(typed, 80),
  texts: (typed) => readText(typed, 2000),
  addresses: readMailAddress,
  phones: (typed) => ({ read: readPhone(typed) }),
  numbers: (typed) => ({ read: readNumber(typed) }),
  codes: (typed) => ({ read: readDigits(typed) }),
};

test.each(Object.entries(READERS))('%s are read as the services read them', (family, read) => {
  const list: Case[] = cases[family as keyof typeof cases];
  expect(list.length).toBeGreaterThan(9);
  for (const { typed, ...expected } of list) {
    expect(read(typed), JSON.stringify(typed)).toEqual(expected);
  }
});

test('a number that may be one is left to the service', () => {
  expect(mayBePhone('98930 12345 ext. 12')).toBe(true);
  expect(mayBePhone('call me')).toBe(false);
});
