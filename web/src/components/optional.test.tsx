import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Optional } from './optional';

function Broken(): never {
  throw new RangeError('Invalid time zone specified: Etc/Unknown');
}

test('a part that fails is missing, and what is around it stays', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  render(
    <p>
      11:00 am
      <Optional>
        <Broken />
      </Optional>
      <Optional instead=" See free times">
        <Broken />
      </Optional>
    </p>,
  );
  expect(screen.getByText('11:00 am See free times')).toBeTruthy();
});
