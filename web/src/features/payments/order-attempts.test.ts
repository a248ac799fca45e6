import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import { PaymentsService } from '@/gen/payments/v1/payments_service_pb';
import { BOOKING_ID } from '@/testing/booking-fixture';
import type { CheckoutFailure } from './checkout-window';
import { ScriptNotLoaded } from './checkout-window';
import { startOrder } from './order-attempts';
import { INITIAL_PANEL, type PanelEvent, panelReducer } from './panel-state';
import { declineMessage, ORDER_FAILED, orderFailedTitle, SCRIPT_FAILED } from './payment-messages';

async function attempt(fail: (attempt: number) => Code | undefined) {
  const keys: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(PaymentsService, {
      startPayment: ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        const code = fail(keys.length);
        if (code) throw new ConnectError('down', code);
        return { orderId: 'order_1' };
      },
    });
  });
  const pause = vi.fn(async () => {});
  const payments = createClient(PaymentsService, transport);
  const { signal } = new AbortController();
  const order = startOrder({ payments, bookingId: BOOKING_ID, signal, pause });
  return { order: await order.catch((error: unknown) => error), keys, pause };
}

test('the order is tried three times, a second apart, with one key', async () => {
  const { order, keys, pause } = await attempt((count) =>
    count < 3 ? Code.Unavailable : undefined,
  );
  expect(order).toMatchObject({ orderId: 'order_1' });
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]?.length).toBeLessThanOrEqual(64);
  expect(pause.mock.calls.map(([ms]: unknown[]) => ms)).toEqual([1000, 1000]);
});

test('after the third failure the page has a message of its own', async () => {
  const { order, keys } = await attempt(() => Code.Unavailable);
  expect(keys).toHaveLength(3);
  expect(orderFailedTitle(order)).toBe(ORDER_FAILED);
});

test('a checkout script that does not load is not called a failed order', () => {
  expect(orderFailedTitle(new ScriptNotLoaded('late'))).toBe(SCRIPT_FAILED);
});

test('a refusal is not tried again', async () => {
  const { keys } = await attempt(() => Code.FailedPrecondition);
  expect(keys).toHaveLength(1);
});

test('the panel goes from order to script to window and back', () => {
  const order = { orderId: 'order_1' } as Extract<PanelEvent, { type: 'order' }>['order'];
  const events: PanelEvent[] = [
    { type: 'preparing' },
    { type: 'order', order },
    { type: 'script' },
    { type: 'opening' },
    { type: 'opened' },
    { type: 'declined', words: 'No.' },
    { type: 'dismissed' },
  ];
  const phases = events.map((_, index) =>
    events.slice(0, index + 1).reduce(panelReducer, INITIAL_PANEL),
  );
  expect(phases.map((state) => state.phase)).toEqual([
    'creating-order',
    'loading-script',
    'ready',
    'opening',
    'open',
    'open',
    'ready',
  ]);
  expect(phases.at(-1)).toMatchObject({ dismissed: true, declined: 'No.', order });
});

test("a decline is told in our words and never in the provider's", async () => {
  const failure: CheckoutFailure = { error: { reason: 'x', description: 'BAD_REQUEST <b>' } };
  expect(await declineMessage(failure)).toMatch(/^Your bank or app declined it\./);
  expect(await declineMessage(failure)).not.toContain('BAD_REQUEST');
  const empty = await declineMessage({ error: { reason: 'insufficient_funds' } });
  expect(empty).toContain('not enough money');
});
