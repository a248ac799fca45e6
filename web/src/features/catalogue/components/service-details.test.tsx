/** The page of a service that several practitioners give. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation } from 'react-router';
import { expect, test } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { BookingServer } from '@/testing/booking-server';
import { practiceFixture, practitionersFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { ServiceDetails } from './service-details';
// Loaded with the tests, so that none of them waits for it.
import './free-times';

const BOOK = '/booking-flow?service=general-consultation';

function Address() {
  return <p data-testid="address">{useLocation().search}</p>;
}

function address(): string {
  return screen.getByTestId('address').textContent ?? '';
}

function way(name: RegExp): string | null | undefined {
  return screen.getByRole('link', { name }).getAttribute('href');
}

test('a practitioner who is chosen stands in the address and goes along to the booking', async () => {
  const known = practiceFixture().services.find((it) => it.serviceId === 'general-consultation');
  if (!known) throw new Error('The practice has no General Consultation.');
  const server = new BookingServer();
  const service = { ...known, practitioners: practitionersFixture() };
  renderApp(
    <main>
      <ServiceDetails service={service} />
      <Address />
    </main>,
    { path: '/service/general-consultation', transport: server.transport() },
  );
  const person = userEvent.setup();
  expect(screen.getAllByRole('radio')).toHaveLength(3);
  expect(screen.getByLabelText('Anyone')).toHaveProperty('checked', true);
  await person.click(screen.getByLabelText('Ravi Menon'));
  await waitFor(() => expect(address()).toBe('?practitioner=ravi'));
  await screen.findByRole('link', { name: /^11:00 am IST/ });
  expect(way(/^11:00 am IST/)).toMatch(
    new RegExp(`^${BOOK.replace('?', '\\?')}&practitioner=ravi&slot=`),
  );
  expect(way(/^Book & Pay Now/)).toBe(`${BOOK}&practitioner=ravi`);
  expect(server.slotsOf.at(-1)).toBe('ravi');
  await expectAccessible();
  await person.click(screen.getByLabelText('Anyone'));
  await waitFor(() => expect(address()).toBe(''));
  expect(way(/^Book & Pay Now/)).toBe(BOOK);
});
