import { beforeEach, expect, test } from 'vitest';
import {
  frameAddress,
  scheduledEventOf,
  scheduledUris,
  writeScheduledEvent,
} from './scheduled-event';

const EVENT = 'https://api.calendly.com/scheduled_events/AAAA';
const INVITEE = `${EVENT}/invitees/BBBB`;
const SLOT = '2026-11-24T05:30:00Z';

beforeEach(() => sessionStorage.clear());

test('only the documented message names an event', () => {
  const payload = { event: { uri: EVENT }, invitee: { uri: INVITEE } };
  expect(scheduledUris({ event: 'calendly.event_scheduled', payload })).toEqual({
    eventUri: EVENT,
    inviteeUri: INVITEE,
  });
  for (const other of [
    undefined,
    null,
    'calendly.event_scheduled',
    { event: 'calendly.date_and_time_selected', payload },
    { event: 'calendly.event_scheduled' },
    { event: 'calendly.event_scheduled', payload: null },
    { event: 'calendly.event_scheduled', payload: { event: { uri: EVENT } } },
    { event: 'calendly.event_scheduled', payload: { event: { uri: 1 }, invitee: { uri: 2 } } },
  ]) {
    expect(scheduledUris(other)).toBeUndefined();
  }
});

test('the frame says whose page it is on, and under which id', () => {
  const address = new URL(frameAddress('https://calendly.com/asha/session', 'ab12', 'example.org'));
  expect(address.origin + address.pathname).toBe('https://calendly.com/asha/session');
  expect(Object.fromEntries(address.searchParams)).toEqual({
    embed_domain: 'example.org',
    embed_type: 'Inline',
    utm_source: 'sukoon',
    utm_content: 'ab12',
  });
});

test('an event belongs to its own service and time alone', () => {
  expect(scheduledEventOf('meditation', SLOT)).toBe('');
  writeScheduledEvent({ serviceId: 'meditation', slot: SLOT, eventUri: EVENT });
  expect(scheduledEventOf('meditation', SLOT)).toBe(EVENT);
  expect(scheduledEventOf('energy-healing', SLOT)).toBe('');
  expect(scheduledEventOf('meditation', '2026-11-24T06:30:00Z')).toBe('');
  sessionStorage.setItem('scheduledEvent', 'broken');
  expect(scheduledEventOf('meditation', SLOT)).toBe('');
});
