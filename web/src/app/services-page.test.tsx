/** The list of services: the dialog of each, and the card that leads to a first step. */
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import ServicesPage from './routes/services';

test('the first step is offered by the service’s name', () => {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) {
    if (service.serviceId === 'general-consultation') service.title = 'First Conversation';
  }
  renderApp(<ServicesPage />, { snapshot });
  expect(screen.getByText(/^Begin with our First Conversation\./)).toBeTruthy();
  const link = screen.getByRole('link', { name: 'See the first step' });
  expect(link.getAttribute('href')).toBe('/service/general-consultation');
});

test('a card opens its service in a dialog, with the ways to its page and to booking', async () => {
  renderApp(<ServicesPage />);
  await userEvent.click(screen.getByRole('button', { name: 'Karmic Healing' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Karmic Healing' }));
  for (const words of ['Akashic Records Reading', 'Past Life Healing', 'Important']) {
    expect(dialog.getByText(words)).toBeTruthy();
  }
  const way = (name: string) => dialog.getByRole('link', { name }).getAttribute('href');
  expect(way('View Full Details')).toBe('/service/karmic-healing');
  expect(way('Book Session')).toBe('/book?service=karmic-healing');
  await expectAccessible();
});

test('no first step is shown if its service is not offered', () => {
  const snapshot = practiceFixture();
  const services = snapshot.services.filter((it) => it.serviceId !== 'general-consultation');
  renderApp(<ServicesPage />, { snapshot: { ...snapshot, services } });
  expect(screen.getAllByRole('article')).toHaveLength(6);
  expect(screen.queryByRole('heading', { name: 'Not sure which one?' })).toBeNull();
  expect(document.querySelector('a[href="/service/general-consultation"]')).toBeNull();
});
