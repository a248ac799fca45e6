/**
 * The gateway's contract, tried with the browser's own Connect client from Node: both formats, GET,
 * the one error form, and what must not be there. No browser is opened.
 */
import { toJson } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { BookingService } from '../src/gen/booking/v1/booking_service_pb';
import {
  CatalogueService,
  ListServicesResponseSchema,
} from '../src/gen/catalogue/v1/catalogue_service_pb';
import { ErrorDetailSchema } from '../src/gen/common/v1/error_detail_pb';
import { PaymentsService } from '../src/gen/payments/v1/payments_service_pb';
import { expect, plainTest as test } from './support/test';

type Exchange = { method: string; url: URL; answer: Response };
type Options = { binary?: boolean; get?: boolean };
type Line = { transport: Transport; exchanges: Exchange[] };

const REFERENCE = /^[0-9a-f]{32}$/;

/** A connection that remembers what went over it. */
function connect(baseURL: string | undefined, { binary = false, get = false }: Options = {}): Line {
  const base = process.env.SUKOON_URL ?? baseURL;
  if (!base) throw new Error('Say in SUKOON_URL where the running practice is.');
  const exchanges: Exchange[] = [];
  const transport = createConnectTransport({
    baseUrl: `${base.replace(/\/$/, '')}/rpc`,
    useBinaryFormat: binary,
    useHttpGet: get,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const answer = await fetch(request);
      exchanges.push({ method: request.method, url: new URL(request.url), answer });
      return answer;
    },
  });
  return { transport, exchanges };
}

function last({ exchanges }: Line): Exchange {
  const exchange = exchanges.at(-1);
  if (!exchange) throw new Error('Nothing was sent.');
  return exchange;
}

/** The error that a call ends with, and the one detail that it must have. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectError)) throw new Error('The call was not refused.');
  const [detail, ...others] = error.findDetails(ErrorDetailSchema);
  expect(others).toEqual([]);
  if (!detail) throw new Error(`The refusal does not explain itself: ${error.message}`);
  expect(detail.referenceId).toMatch(REFERENCE);
  return { error, detail };
}

test('JSON and binary say the same', async ({ baseURL }) => {
  const lines = [connect(baseURL), connect(baseURL, { binary: true })];
  const answers = [];
  for (const line of lines) {
    const answer = await createClient(CatalogueService, line.transport).listServices({});
    answers.push(toJson(ListServicesResponseSchema, answer));
    expect(answer.services.length).toBeGreaterThan(0);
    for (const { price } of answer.services) expect(price?.minorUnits).toBeGreaterThan(0n);
  }
  expect(answers[0]).toEqual(answers[1]);
  const kinds = lines.map((line) => last(line).answer.headers.get('content-type'));
  expect(kinds).toEqual(['application/json', 'application/proto']);
});

for (const binary of [false, true]) {
  test(`a read is a GET that can be kept, ${binary ? 'binary' : 'JSON'}`, async ({ baseURL }) => {
    const line = connect(baseURL, { binary, get: true });
    const { practice } = await createClient(CatalogueService, line.transport).getPractice({});
    expect(practice?.name).not.toBe('');
    const { method, url, answer } = last(line);
    expect(method).toBe('GET');
    expect(answer.headers.get('cache-control')).toContain('max-age=60');
    const tag = answer.headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    const again = await fetch(url, { headers: { 'If-None-Match': tag } });
    expect(again.status).toBe(304);
  });

  test(`an error explains itself, ${binary ? 'binary' : 'JSON'}`, async ({ baseURL }) => {
    for (const get of [false, true]) {
      const line = connect(baseURL, { binary, get });
      const catalogue = createClient(CatalogueService, line.transport);
      const { error, detail } = await refusal(catalogue.getService({ serviceId: 'unknown' }));
      expect(error.code).toBe(Code.NotFound);
      expect(error.rawMessage).not.toBe('');
      expect(detail.reason).toBe('SERVICE_NOT_FOUND');
      expect(last(line).answer.headers.get('x-reference-id')).toBe(detail.referenceId);
    }
  });
}

test('free times need no session and are never cached', async ({ baseURL }) => {
  const line = connect(baseURL, { get: true });
  const { services } = await createClient(CatalogueService, line.transport).listServices({});
  const serviceId = services[0]?.serviceId ?? '';
  const { days, timeZone } = await createClient(BookingService, line.transport).listSlots({
    serviceId,
    days: 7,
  });
  expect(days).toHaveLength(7);
  expect(timeZone).not.toBe('');
  expect(last(line).answer.headers.get('cache-control')).toBe('no-store');
});

test('booking and paying need a token', async ({ baseURL }) => {
  const { transport } = connect(baseURL);
  const booking = createClient(BookingService, transport);
  const payments = createClient(PaymentsService, transport);
  const calls = [
    () => booking.getBooking({ bookingId: 'bkg_1' }),
    () => booking.requestBooking({}),
    () => payments.startPayment({ bookingId: 'bkg_1' }),
  ];
  for (const call of calls) {
    const { error, detail } = await refusal(call());
    expect(error.code).toBe(Code.Unauthenticated);
    expect(detail.reason).toBe('TOKEN_MISSING');
  }
});

test('watching a booking needs a token', async ({ baseURL }) => {
  for (const binary of [false, true]) {
    const booking = createClient(BookingService, connect(baseURL, { binary }).transport);
    const watch = async () => {
      for await (const _ of booking.watchBooking({ bookingId: 'bkg_1' })) break;
    };
    const { error } = await refusal(watch());
    expect(error.code).toBe(Code.Unauthenticated);
  }
});

test('what services say to each other does not exist for a browser', async ({ baseURL }) => {
  const url = `${baseURL}/rpc/booking.v1.BookingInternalService/GetBookingContact`;
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: '{"bookingId":"bkg_1"}' });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: 'unimplemented' });
});

test('what cannot be read is refused in the same form', async ({ baseURL }) => {
  const line = connect(baseURL);
  await createClient(CatalogueService, line.transport).listFaqs({});
  const { url } = last(line);
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: '{' });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    code: 'invalid_argument',
    message: 'The request could not be read.',
    details: [{ type: 'common.v1.ErrorDetail' }],
  });
});
