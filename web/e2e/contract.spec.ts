/**
 * The gateway's contract, tried with the browser's own Connect client from Node: both formats, GET
 * and the one error form. No page is opened; the rest is in `gateway/tests/it`.
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

async function reads(line: Line, get: boolean): Promise<unknown> {
  const catalogue = createClient(CatalogueService, line.transport);
  const services = await catalogue.listServices({});
  expect(services.services.length).toBeGreaterThan(0);
  for (const { price } of services.services) expect(price?.minorUnits).toBeGreaterThan(0n);
  const { method, url, answer } = last(line);
  expect(method).toBe(get ? 'GET' : 'POST');
  if (get) {
    expect(answer.headers.get('cache-control')).toContain('max-age=60');
    const tag = answer.headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    expect((await fetch(url, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  }
  return toJson(ListServicesResponseSchema, services);
}

async function isRefused(line: Line): Promise<void> {
  const catalogue = createClient(CatalogueService, line.transport);
  const { error, detail } = await refusal(catalogue.getService({ serviceId: 'unknown' }));
  expect(error.code).toBe(Code.NotFound);
  expect(error.rawMessage).not.toBe('');
  expect(detail.reason).toBe('SERVICE_NOT_FOUND');
  expect(last(line).answer.headers.get('x-reference-id')).toBe(detail.referenceId);
  const booking = createClient(BookingService, line.transport);
  const watch = async () => {
    for await (const _ of booking.watchBooking({ bookingId: 'bkg_1' })) break;
  };
  expect((await refusal(watch())).error.code).toBe(Code.Unauthenticated);
}

test("the browser's client reads, and is refused, in each format and by each method", async ({
  baseURL,
}) => {
  const told: unknown[] = [];
  for (const binary of [false, true]) {
    for (const get of [false, true]) {
      const line = connect(baseURL, { binary, get });
      told.push(await reads(line, get));
      const kind = binary ? 'application/proto' : 'application/json';
      expect(last(line).answer.headers.get('content-type')).toBe(kind);
      await isRefused(line);
    }
  }
  for (const answer of told) expect(answer).toEqual(told[0]);
});
