/** What the verification screen says of money that goes back, and of money that did not come. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import type { Verification } from '../hooks/use-verification';
import { VerificationPanel } from './verification-panel';

const RETURNED: Verification = {
  status: 'returned',
  kind: 'first',
  secondsLeft: 0,
  windowSeconds: 40,
  message: '',
  tryAgain: () => {},
  claim: () => {},
  claiming: false,
  claimed: false,
  claimError: undefined,
};

const FACTS = { reference: 'A1A1A1A1', claimed: false, attemptFailed: false, answerRefused: false };

function open(snapshot = practiceFixture()) {
  const panel = (
    <VerificationPanel verification={RETURNED} facts={FACTS} summary="" onPayAgain={() => {}} />
  );
  renderApp(panel, { snapshot });
}

const said = () => screen.getByRole('status').textContent;

test('money that does not match goes back within the days of the practice', () => {
  open();
  expect(said()).toContain(
    'All of it goes back to your original payment method, within 5-7 business days.',
  );
});

test('another practice may say that it takes longer', () => {
  const snapshot = practiceFixture();
  snapshot.practice.refundDaysText = 'two weeks';
  open(snapshot);
  expect(said()).toContain('within two weeks.');
});

test('a payment that was not seen is no dead end', async () => {
  const failed: Verification = { ...RETURNED, status: 'failed', message: 'Not seen.' };
  renderApp(
    <main>
      <h1>Payment Verification</h1>
      <VerificationPanel verification={failed} facts={FACTS} summary="" onPayAgain={() => {}} />
    </main>,
  );
  expect(screen.getByText('Not seen.')).toBeTruthy();
  for (const name of ['Try Again', 'I Completed Payment', 'Back to Payment']) {
    expect(screen.getByRole('button', { name })).toBeTruthy();
  }
  await expectAccessible();
});
