import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useShownAddress } from './use-shown-address';

function Shown({ address }: { address: string }) {
  return <p>{useShownAddress(address)}</p>;
}

test('an address of plain letters is shown at once, and an international one as it is read', async () => {
  render(<Shown address="asha@example.org" />);
  expect(screen.getByText('asha@example.org')).toBeTruthy();
  render(<Shown address="asha@xn--p1b6ci4b4b3a.xn--h2brj9c" />);
  expect(await screen.findByText('asha@उदाहरण.भारत')).toBeTruthy();
});
