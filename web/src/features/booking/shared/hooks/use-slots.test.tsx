import { createRouterTransport } from '@connectrpc/connect';
import { QueryClient } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import { connectGetKey } from '@/lib/connect-get';
import { BOOKING } from '@/lib/read-slots';
import { slotsFixture } from '@/testing/booking-fixture';
import { renderApp } from '@/testing/render-app';
import { SLOTS_KEY } from '../slots-key';
import { useSlots } from './use-slots';

afterEach(() => {
  vi.unstubAllGlobals();
});

function Days() {
  const { data } = useSlots({ serviceId: 'meditation', fromDate: '', days: 7 });
  return <p>{data?.days.map(({ date }) => date).join(' ')}</p>;
}

function renderDays() {
  const listSlots = vi.fn(() => slotsFixture([{ date: '2026-11-24', closed: true }]));
  const transport = createRouterTransport(({ service }) => service(BookingService, { listSlots }));
  renderApp(<Days />, { transport });
  return listSlots;
}

test('the times are read without Connect, whose code then stays away from the first load', async () => {
  const body = { days: [{ date: '2026-11-25', closed: true }] };
  const ask = vi.fn((_address: string) => Promise.resolve(Response.json(body)));
  vi.stubGlobal('fetch', ask);
  const listSlots = renderDays();
  expect(await screen.findByText('2026-11-25')).toBeTruthy();
  expect(listSlots).not.toHaveBeenCalled();
  expect(ask.mock.calls[0]?.[0]).toContain('/booking.v1.BookingService/ListSlots?');
});

test('where that fails, Connect is asked', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 503 })));
  const listSlots = renderDays();
  expect(await screen.findByText('2026-11-24')).toBeTruthy();
  expect(listSlots).toHaveBeenCalledOnce();
});

test('what was read before can be forgotten, whatever range it has', () => {
  const client = new QueryClient();
  const range = { serviceId: 'meditation', fromDate: '2026-11-24', days: 7 };
  client.setQueryData(connectGetKey(BOOKING, 'ListSlots', range), 'starts');
  client.setQueryData(connectGetKey(BOOKING, 'GetBooking', range), 'a booking');
  client.removeQueries({ queryKey: SLOTS_KEY });
  expect(client.getQueriesData({}).map(([, data]) => data)).toEqual(['a booking']);
});
