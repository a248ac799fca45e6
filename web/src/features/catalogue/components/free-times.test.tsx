import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createRouterTransport } from '@connectrpc/connect';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import {
  BookingService,
  type ListSlotsRequest,
  type ListSlotsResponse,
  ListSlotsResponseSchema,
} from '@/gen/booking/v1/booking_service_pb';
import { renderApp } from '@/testing/render-app';
import { FreeTimes } from './free-times';

const DAYS = [24, 25, 26, 27, 28, 29, 30].map((day) => `2026-11-${day}`);

function slot(iso: string, available = true) {
  return { startsAt: timestampFromDate(new Date(iso)), available };
}

function answer(free: boolean): ListSlotsResponse {
  return create(ListSlotsResponseSchema, {
    timeZone: 'Asia/Kolkata',
    timeZoneLabel: 'IST',
    lastDate: '2027-01-20',
    nextAvailableAt: timestampFromDate(new Date('2026-12-02T05:30:00Z')),
    days: DAYS.map((date) => ({
      date,
      slots: [slot(`${date}T05:30:00Z`, free), slot(`${date}T07:30:00Z`, false)],
    })),
  });
}

function renderTimes(listSlots: (request: ListSlotsRequest) => ListSlotsResponse) {
  const transport = createRouterTransport(({ service }) => service(BookingService, { listSlots }));
  renderApp(<FreeTimes serviceId="meditation" />, { transport });
}

test('free starts lead into the booking with service and time; taken ones are not listed', async () => {
  renderTimes(() => answer(true));
  const time = await screen.findByRole('link', { name: /11:00 am IST/ });
  expect(time.getAttribute('href')).toBe(
    '/booking-flow?service=meditation&slot=2026-11-24T05%3A30%3A00.000Z',
  );
  expect(screen.getByText('Morning')).toBeTruthy();
  expect(screen.queryByRole('link', { name: /1:00 pm/ })).toBeNull();
  expect(screen.getByText(/^All times are in IST \(Asia\/Kolkata\)\. /)).toBeTruthy();
});

test('the times of one practitioner are asked for, and go along', async () => {
  const asked: string[] = [];
  const listSlots = (request: ListSlotsRequest) => {
    asked.push(request.practitionerId);
    return answer(true);
  };
  const transport = createRouterTransport(({ service }) => service(BookingService, { listSlots }));
  renderApp(<FreeTimes serviceId="meditation" practitionerId="ravi" />, { transport });
  const time = await screen.findByRole('link', { name: /11:00 am IST/ });
  expect(asked).toEqual(['ravi']);
  expect(time.getAttribute('href')).toBe(
    '/booking-flow?service=meditation&practitioner=ravi&slot=2026-11-24T05%3A30%3A00.000Z',
  );
  const wait = screen.getByRole('link', { name: 'Join the wait list' });
  expect(wait.getAttribute('href')).toBe('/account/waiting?service=meditation&practitioner=ravi');
});

test('who finds no time can wait for one, more visibly where nothing is free', async () => {
  renderTimes(() => answer(true));
  const quiet = await screen.findByRole('link', { name: 'Join the wait list' });
  expect(quiet.getAttribute('href')).toBe('/account/waiting?service=meditation');
  expect(quiet.className).toContain('underline');
});

test('later days ask for the week that follows', async () => {
  const asked: string[] = [];
  renderTimes((request) => {
    asked.push(request.fromDate);
    return answer(true);
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Later days' }));
  await screen.findAllByRole('link');
  expect(asked).toEqual(['', '2026-12-01']);
});

test('a full week names the next free time', async () => {
  renderTimes(() => answer(false));
  expect(await screen.findByText('No free times in these days')).toBeTruthy();
  expect(screen.getByRole('link', { name: /2 Dec, 11:00 am IST/ })).toBeTruthy();
  const wait = screen.getByRole('link', { name: 'Join the wait list' });
  expect(wait.className).toContain('rounded-full');
});

test('a visitor in another zone reads the own time too', async () => {
  const resolved = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone: 'Europe/London' };
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(resolved);
  renderTimes(() => answer(true));
  await screen.findByRole('link', {
    name: /^11:00 am IST, Tuesday, 24 November 5:30 am your time$/,
  });
});
