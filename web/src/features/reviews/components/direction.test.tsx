import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { TextArea } from '@/components/ui/text-area';
import { TextField } from '@/components/ui/text-field';
import { renderApp } from '@/testing/render-app';
import { reviewFixture } from '@/testing/review-fixture';
import { ReviewCard } from './review-card';
import { ReviewDetails } from './review-details';

const ARABIC = 'شكراً جزيلاً.';

test('what people wrote runs in the direction of its own letters', () => {
  const marks = '\u0301'.repeat(30);
  renderApp(<ReviewCard review={reviewFixture(1, { name: `Ali${marks}`, text: ARABIC })} />);
  expect(screen.getByText(ARABIC).dir).toBe('auto');
  // A letter whose marks would run over the page keeps four of them.
  expect(screen.getByText(`Ali${'\u0301'.repeat(4)}`).dir).toBe('auto');
});

test('neither a heading nor an initial has more marks than a name needs', () => {
  const name = `A${'\u0301'.repeat(30)}li`;
  renderApp(<ReviewDetails review={reviewFixture(1, { name, service: 'Meditation' })} />);
  const few = `A${'\u0301'.repeat(4)}`;
  expect(screen.getByRole('heading').textContent).toBe(`${few}li on Meditation`);
  expect(document.body.textContent).not.toContain('\u0301'.repeat(5));
});

test('what people type does so too, and an address does not', () => {
  renderApp(
    <>
      <TextArea label="Message" name="message" />
      <TextField label="Name" name="name" />
      <TextField label="Email" name="email" type="email" />
    </>,
  );
  for (const label of ['Message', 'Name']) {
    expect(screen.getByLabelText(label)).toHaveProperty('dir', 'auto');
  }
  expect(screen.getByLabelText('Email')).toHaveProperty('dir', '');
});
