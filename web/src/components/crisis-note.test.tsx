import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { CrisisNote } from './crisis-note';
import { WithCrisisNote, WithHelplines } from './with-numbers';

function links(): (string | null)[] {
  return screen.getAllByRole('link').map((link) => link.getAttribute('href'));
}

test('the numbers of the note on help in a crisis are called by a press', () => {
  renderApp(<CrisisNote />);
  expect(links()).toEqual(['tel:14416', 'tel:112']);
});

test('in a longer text the note has its links, and no other number has one', () => {
  const { practice } = practiceFixture();
  const text = `Section 2026. ${practice.crisisNote} Since 1998.`;
  renderApp(<p>{<WithCrisisNote text={text} />}</p>);
  expect(links()).toEqual(['tel:14416', 'tel:112']);
  expect(document.querySelector('p')?.textContent).toBe(text);
});

test('in any answer the numbers of the note have links, and no other number has one', () => {
  const text = 'Call 14416 at any hour, our room 2026 in the day, and 112 in an emergency.';
  renderApp(
    <p>
      <WithHelplines text={text} />
    </p>,
  );
  expect(links()).toEqual(['tel:14416', 'tel:112']);
  expect(document.querySelector('p')?.textContent).toBe(text);
});
