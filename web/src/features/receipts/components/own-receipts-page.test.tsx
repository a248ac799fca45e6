/** /account/receipts with a server that a test plays. */
import { Code, createRouterTransport } from '@connectrpc/connect';
import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { PaymentsService, type Receipt } from '@/gen/payments/v1/payments_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage } from '@/testing/booking-page';
import { ASHA, beginAs } from '@/testing/played-client';
import { receiptFixture, rupees } from '@/testing/receipt-fixture';
import { refusal } from '@/testing/refusal';
import { OwnReceiptsPage } from './own-receipts-page';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

beginEach({ user: ASHA });

let years: Record<number, Receipt[]>;
let asked: number[];
let refusals: Error[];

beforeEach(() => {
  years = {};
  asked = [];
  refusals = [];
});

function open(path = '/account/receipts') {
  const transport = createRouterTransport(({ service }) => {
    service(PaymentsService, {
      listOwnReceipts: ({ financialYear }) => {
        asked.push(financialYear);
        const refused = refusals.shift();
        if (refused) throw refused;
        const financialYears = Object.keys(years).map(Number).sort().reverse();
        const year = financialYear || (financialYears[0] ?? 0);
        return { receipts: years[year] ?? [], financialYear: year, financialYears };
      },
    });
  });
  return openPage(() => <OwnReceiptsPage />, { path, transport });
}

type Changes = NonNullable<Parameters<typeof receiptFixture>[0]>;

function paid(serial: string, changes: Changes = {}): Receipt {
  const own = { receiptId: `rct_${serial}`, serial, amount: rupees(150_000n) };
  return receiptFixture({ ...own, ...changes } as Changes);
}

test('the newest year is listed with its sums, and others are a press away', async () => {
  years = {
    2025: [paid('SUK/25-26/00007')],
    2026: [
      paid('SUK/26-27/00001', { refunded: rupees(50_000n) }),
      paid('SUK/26-27/00004'),
      paid('INV/26-27/00001', { kind: 'tax_invoice', refunded: rupees(0n) }),
    ],
  };
  const person = open();
  expect(await screen.findByRole('heading', { name: 'Receipts 2026–27' })).toBeTruthy();
  expect(screen.getByText('April 2026 to March 2027')).toBeTruthy();
  const table = within(screen.getByRole('table', { name: 'Receipts 2026–27' }));
  expect(table.getAllByRole('rowheader')).toHaveLength(4);
  const sum = within(table.getByRole('row', { name: /^Paid in all/ }));
  expect(sum.getByText('₹3,000')).toBeTruthy();
  expect(sum.getByText('₹500 went back')).toBeTruthy();
  expect(document.querySelector('tfoot')).toBeNull();
  expect(screen.getByRole('button', { name: 'Print' })).toBeTruthy();
  await expectAccessible();
  await person.click(screen.getByRole('link', { name: '2025–26' }));
  expect(await screen.findByRole('link', { name: 'SUK/25-26/00007' })).toBeTruthy();
  expect(asked).toEqual([0, 2025]);
});

test('a year in the address that makes no sense is the newest', async () => {
  years = { 2026: [paid('SUK/26-27/00001')] };
  open('/account/receipts?year=then');
  expect(await screen.findByRole('link', { name: 'SUK/26-27/00001' })).toBeTruthy();
  expect(asked).toEqual([0]);
});

test('without receipts it says so', async () => {
  open();
  expect(await screen.findByText(/You have no receipts yet/)).toBeTruthy();
  await expectAccessible();
});

test('what cannot be read can be asked for again', async () => {
  refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  years = { 2026: [paid('SUK/26-27/00001')] };
  const person = open();
  await person.click(await screen.findByRole('button', { name: /try again/i }));
  expect(await screen.findByRole('link', { name: 'SUK/26-27/00001' })).toBeTruthy();
});

test('a visitor who is signed out is asked to sign in, and comes back', async () => {
  beginAs();
  open();
  const link = await screen.findByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Faccount%2Freceipts');
});
