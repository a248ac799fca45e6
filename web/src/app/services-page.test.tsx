/** The card that leads an unsure client to a first step. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
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

test('no first step is shown if its service is not offered', () => {
  const snapshot = practiceFixture();
  const services = snapshot.services.filter((it) => it.serviceId !== 'general-consultation');
  renderApp(<ServicesPage />, { snapshot: { ...snapshot, services } });
  expect(screen.getAllByRole('article')).toHaveLength(6);
  expect(screen.queryByRole('heading', { name: 'Not sure which one?' })).toBeNull();
  expect(document.querySelector('a[href="/service/general-consultation"]')).toBeNull();
});
