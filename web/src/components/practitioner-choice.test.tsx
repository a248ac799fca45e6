import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { practitionersFixture } from '@/testing/practice-fixture';
import { chosenPractitioner, PractitionerChoice } from './practitioner-choice';

const TWO = practitionersFixture();

test('anyone is chosen until one is', () => {
  const choose = vi.fn();
  render(<PractitionerChoice all={TWO} chosen="" onChoose={choose} />);
  const names = screen.getAllByRole('radio').map((radio) => radio.parentElement?.textContent);
  expect(names).toEqual(['Anyone', 'Meera Joshi', 'Ravi Menon']);
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Anyone' }).checked).toBe(true);
  fireEvent.click(screen.getByRole('radio', { name: 'Ravi Menon' }));
  expect(choose).toHaveBeenCalledWith('ravi');
});

test.each([[], TWO.slice(0, 1)])('nothing is asked where there is no choice', (...all) => {
  const { container } = render(<PractitionerChoice all={all} chosen="" onChoose={() => {}} />);
  expect(container.innerHTML).toBe('');
});

test('an address names only what may be chosen', () => {
  expect(chosenPractitioner(TWO, 'ravi')).toBe('ravi');
  expect(chosenPractitioner(TWO, 'asha')).toBe('');
  expect(chosenPractitioner(TWO.slice(1), 'ravi')).toBe('');
});
