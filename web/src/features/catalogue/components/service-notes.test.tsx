/** The notes beside a service: help in a crisis, and that a session is no medical treatment. */
import { screen } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import type { Snapshot } from '@/lib/snapshot';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { ServiceDetails } from './service-details';
import { ServiceDialog } from './service-dialog';

const HELP = /^Need help right now\?.*14416/;
const NO_TREATMENT = /^Our sessions are for your wellbeing and are not medical treatment\./;

let snapshot: Snapshot;

beforeEach(() => {
  snapshot = practiceFixture();
});

function find(serviceId: string) {
  const service = snapshot.services.find((it) => it.serviceId === serviceId);
  if (!service) throw new Error(`${serviceId} is not offered.`);
  return service;
}

const PLACES = [
  [
    'page',
    (id: string) => renderApp(<ServiceDetails service={find(id)} />, { snapshot }),
    () => document.body,
  ],
  [
    'dialog',
    (id: string) => {
      const dialog = <ServiceDialog service={find(id)} open onClose={() => {}} />;
      renderApp(dialog, { snapshot });
    },
    // The page behind a modal dialog is out of reach, and so is the note in its footer.
    () => screen.getByRole('dialog'),
  ],
] as const;

const paragraph = (place: HTMLElement, words: RegExp) =>
  [...place.querySelectorAll('p')].filter(({ textContent }) => words.test(textContent));

test.each(PLACES)('the %s of what heavy days lead to says whom to call', (_name, show, place) => {
  show('mental-health');
  expect(paragraph(place(), HELP)).toHaveLength(1);
});

test.each(PLACES)('the %s of another service does not', (_name, show, place) => {
  show('vedic-astrology');
  expect(paragraph(place(), HELP)).toHaveLength(0);
});

test.each(PLACES)('the %s follows the setting of the service', (_name, show, place) => {
  find('vedic-astrology').crisisNote = true;
  show('vedic-astrology');
  expect(paragraph(place(), HELP)).toHaveLength(1);
});

test.each(PLACES)('on the %s nothing is said without a note', (_name, show, place) => {
  Object.assign(snapshot.practice, { crisisNote: '', wellbeingNote: '' });
  show('mental-health');
  expect(paragraph(place(), /Need help/)).toHaveLength(0);
  expect(paragraph(place(), NO_TREATMENT)).toHaveLength(0);
});

test.each(PLACES)(
  'the %s says that it is no treatment, or its own notice',
  (_name, show, place) => {
    show('meditation');
    expect(paragraph(place(), NO_TREATMENT)).toHaveLength(1);
  },
);

test.each(PLACES)('on the %s a notice of its own stands alone', (_name, show, place) => {
  show('karmic-healing');
  expect(paragraph(place(), /^Karmic healing is a spiritual practice/)).toHaveLength(1);
  expect(paragraph(place(), NO_TREATMENT)).toHaveLength(0);
});
