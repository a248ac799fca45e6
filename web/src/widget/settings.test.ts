import { expect, test } from 'vitest';
import type { Offer } from './offer';
import { readSettings } from './settings';

const OFFER: Offer = {
  services: [
    {
      serviceId: 'meditation',
      title: 'Meditation',
      durationText: '',
      priceText: '',
      practitioners: [],
    },
  ],
  packages: [{ packageId: 'starter', title: 'Starter', description: '', priceText: '' }],
};

test('what is offered is taken', () => {
  const query = '?service=meditation&package=starter&practitioner=ravi&language=en-IN&theme=dark';
  const settings = readSettings(query, OFFER);
  expect(settings).toMatchObject({
    serviceId: 'meditation',
    packageId: 'starter',
    practitionerId: 'ravi',
    ignored: [],
  });
  expect(settings.colours.theme).toBe('dark');
});

test('what makes no sense is left out and listed', () => {
  const query = '?service=levitation&package=x&language=fr&theme=blue&primary=red';
  const { serviceId, packageId, words, colours, ignored } = readSettings(query, OFFER);
  expect([serviceId, packageId, colours.theme]).toEqual(['', '', 'auto']);
  expect(words.title).toBe('Book a session');
  const names = ignored.map(({ name }) => name);
  expect(names).toEqual(['service', 'package', 'language', 'theme', 'primary']);
});

test('without a query there is nothing to tell', () => {
  expect(readSettings('', OFFER)).toMatchObject({ serviceId: '', ignored: [] });
});
