/** In whose name a receipt is written: asked for on its page, with a server that a test plays. */
import { create } from '@bufbuild/protobuf';
import { Code, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { BookingService } from '@/gen/booking/v1/booking_service_pb';
import { type Payer, PayerSchema, PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID, bookingFixture } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { ReceiptPage } from './receipt-page';

vi.mock('@/lib/auth', () => ({
  useAuth: () => ({ status: 'signed-in', user: { id: 'u1', email: 'asha@example.org' } }),
}));

/** Its last sign is wrong, which only the server finds. */
const MISTYPED = '27aapfu0939f1zu';

test('a business gives its name and number, which are checked, and is billed', async () => {
  let payer: Payer | undefined;
  const transport = createRouterTransport(({ service }) => {
    service(BookingService, { getBooking: () => ({ booking: bookingFixture() }) });
    service(PaymentsService, {
      listReceipts: () => ({ receipts: [], takesPayer: true, ...(payer && { payer }) }),
      setPayer: ({ payer: given }) => {
        if (given?.gstin.toLowerCase() === MISTYPED) {
          throw refusal(Code.InvalidArgument, 'INVALID_PAYER', { field: 'payer.gstin' });
        }
        const { name = '', gstin = '', address = '', stateCode = '' } = given ?? {};
        const plain = gstin.replaceAll(' ', '');
        payer = create(PayerSchema, { name, gstin: plain, address, stateCode });
        return {};
      },
    });
  });
  const page = (
    <main>
      <ReceiptPage />
      <Toaster />
    </main>
  );
  renderApp(page, { path: `/receipt?b=${BOOKING_ID}`, transport });
  const person = userEvent.setup();
  await person.click(await screen.findByRole('button', { name: 'Add billing details' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Billing details' }));
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('Name is required')).toBeTruthy();
  await person.type(dialog.getByLabelText('Name'), 'Asha Rao Traders');
  const gstin = dialog.getByLabelText(/^GSTIN/);
  await person.type(gstin, MISTYPED);
  await person.type(dialog.getByLabelText('Address'), '12 MG Road, Pune 411001');
  expect(dialog.getByLabelText('State')).toHaveProperty('value', '27');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(gstin.getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() => expect(document.activeElement).toBe(gstin));
  await expectAccessible();

  await person.clear(gstin);
  await person.type(gstin, '27 AAPFU0939F1ZV');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  const line = await screen.findByText(/^Billed to/);
  expect(line.textContent).toBe('Billed to Asha Rao Traders, GSTIN 27AAPFU0939F1ZV');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.getByRole('button', { name: 'Change billing details' })).toBeTruthy();
  await expectAccessible();
});
