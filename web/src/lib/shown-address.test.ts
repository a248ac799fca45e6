/** The list of cases that the mails' tests read, too. */
import { expect, test } from 'vitest';
import cases from '../../../services/shared/kernel/tests/shown_cases.json';
import { shownAddress } from './shown-address';

test.each(cases)('$stored is shown as $shown', ({ stored, shown }) => {
  expect(shownAddress(stored)).toBe(shown);
});
