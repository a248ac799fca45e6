/** Paying for a booking: one order, the provider's window, and its result. */

import { timestampMs } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react';
import { toast } from '@/components/ui/toast-store';
import { type Booking, BookingService } from '@/gen/booking/v1/booking_service_pb';
import {
  CollectionState,
  PaymentsService,
  type StartPaymentResponse,
} from '@/gen/payments/v1/payments_service_pb';
import { serverNow } from '@/lib/clock';
import { describeError, errorReason } from '@/lib/errors';
import { randomKey } from '@/lib/random-key';
import { FLOW_KEYS, writeTab } from '@/lib/tab-storage';
import {
  type CheckoutAnswer,
  type CheckoutFailure,
  type CheckoutOptions,
  displayFor,
  loadCheckoutScript,
  openCheckout,
} from '../checkout-window';
import { startOrder } from '../order-attempts';
import { INITIAL_PANEL, type PanelEvent, type PanelState, panelReducer } from '../panel-state';
import {
  ALREADY_PAID,
  CANCELLED,
  declineMessage,
  RETRY_ANYTIME,
  STILL_LOADING,
} from '../payment-messages';

/** The checkout is drawn by the provider, on white; this is the light theme's leaf. */
const CHECKOUT_COLOUR = '#2B6355';

/** What is left of a hold, and never less than a payment takes. */
function secondsLeft(booking: Booking): number {
  const left = booking.heldUntilAt ? timestampMs(booking.heldUntilAt) - serverNow() : 0;
  return Math.max(60, Math.floor(left / 1000));
}

export type PaymentEvents = {
  /** The checkout says that it is paid; the answer is still to be verified. */
  onAnswer: (answer: CheckoutAnswer) => void;
  /** The server knows already that it is paid. */
  onPaid: () => void;
  /** The server answered with a newer booking. */
  onBooking: (booking: Booking) => void;
  /** The server says that the time is no longer kept. */
  onHoldEnded: () => void;
};

type Asked = { booking: Booking; practiceName: string; events: PaymentEvents };

export type PaymentPanelModel = {
  state: PanelState;
  pay: () => void;
  retry: () => void;
};

function optionsOf(
  order: StartPaymentResponse,
  { booking, practiceName }: Asked,
  ondismiss: () => void,
): Omit<CheckoutOptions, 'handler'> {
  const { contact } = booking;
  return {
    key: order.keyId,
    amount: Number(order.amount?.minorUnits ?? 0n),
    currency: order.amount?.currencyCode ?? 'INR',
    name: practiceName,
    order_id: order.orderId,
    prefill: {
      name: `${contact?.firstName ?? ''} ${contact?.lastName ?? ''}`.trim(),
      email: contact?.email ?? '',
      contact: contact?.phone ?? '',
    },
    theme: { color: CHECKOUT_COLOUR },
    config: { display: displayFor(navigator.userAgent) },
    timeout: secondsLeft(booking),
    // Browsers inside other apps, and Chrome on an iPhone, leave this page to pay.
    callback_url: `${window.location.origin}/pay/return?b=${booking.bookingId}`,
    modal: { ondismiss, confirm_close: true },
  };
}

type Latest = { readonly current: Asked };
type Dispatch = (event: PanelEvent) => void;

/** Gets order and script, and once more whenever `round` changes. */
function usePreparedOrder(latest: Latest, round: number, dispatch: Dispatch): void {
  const transport = useTransport();
  const payments = useMemo(() => createClient(PaymentsService, transport), [transport]);
  const { bookingId } = latest.current.booking;

  const prepare = useCallback(
    async (signal: AbortSignal) => {
      dispatch({ type: 'preparing' });
      try {
        const order = await startOrder({ payments, bookingId, signal });
        if (signal.aborted) return;
        writeTab(FLOW_KEYS.order, order.orderId);
        if (order.state === CollectionState.PAID) return latest.current.events.onPaid();
        dispatch({ type: 'order', order });
        await loadCheckoutScript(order.checkoutScriptUrl);
        if (!signal.aborted) dispatch({ type: 'script' });
      } catch (error) {
        if (signal.aborted) return;
        if (errorReason(error) === 'HOLD_ENDED') latest.current.events.onHoldEnded();
        dispatch({ type: 'failed', error });
      }
    },
    [payments, bookingId, latest, dispatch],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round prepares once more.
  useEffect(() => {
    const stop = new AbortController();
    void prepare(stop.signal);
    return () => stop.abort();
  }, [prepare, round]);
}

/** Opens the provider's window and reports how it ends. */
function openWindow(
  order: StartPaymentResponse,
  booking: Booking,
  latest: Latest,
  dispatch: Dispatch,
): void {
  let answered = false;
  const onAnswer = (answer: CheckoutAnswer) => {
    answered = true;
    dispatch({ type: 'answered' });
    latest.current.events.onAnswer(answer);
  };
  const ondismiss = () => {
    if (answered) return;
    dispatch({ type: 'dismissed' });
    toast({ title: CANCELLED, description: RETRY_ANYTIME, beside: true });
  };
  const onFailure = (failure: CheckoutFailure) => {
    if (failure.error?.reason === ALREADY_PAID) return latest.current.events.onPaid();
    void declineMessage(failure).then((words) => dispatch({ type: 'declined', words }));
  };
  const options = optionsOf(order, { ...latest.current, booking }, ondismiss);
  const isOpen = openCheckout(options, onAnswer, onFailure);
  if (!isOpen) toast({ title: STILL_LOADING });
  dispatch({ type: isOpen ? 'opened' : 'script' });
}

/** Says that checkout is being opened, so that the hold is extended, and then opens it. */
function useOpening(latest: Latest, dispatch: Dispatch) {
  const transport = useTransport();
  const bookings = useMemo(() => createClient(BookingService, transport), [transport]);

  return async function open(order: StartPaymentResponse): Promise<void> {
    const { bookingId } = latest.current.booking;
    dispatch({ type: 'opening' });
    try {
      const { booking } = await bookings.openCheckout({ bookingId, idempotencyKey: randomKey() });
      if (booking) latest.current.events.onBooking(booking);
      openWindow(order, booking ?? latest.current.booking, latest, dispatch);
    } catch (error) {
      const { reason } = describeError(error);
      if (reason === 'HOLD_ENDED') latest.current.events.onHoldEnded();
      dispatch({ type: 'not-opened', error });
    }
  };
}

export function usePaymentPanel(asked: Asked): PaymentPanelModel {
  const [state, dispatch] = useReducer(panelReducer, INITIAL_PANEL);
  const latest = useRef(asked);
  latest.current = asked;
  const wanted = useRef(false);
  usePreparedOrder(latest, state.round, dispatch);
  const open = useOpening(latest, dispatch);

  function pay(): void {
    const { phase, order } = state;
    if (phase === 'opening' || phase === 'answered') return;
    if (!order || (phase !== 'ready' && phase !== 'open')) {
      wanted.current = phase !== 'failed';
      toast({ title: STILL_LOADING });
      return;
    }
    void open(order);
  }

  // A press that came too early is done now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when everything is there.
  useEffect(() => {
    if (state.phase !== 'ready' || !wanted.current || !state.order) return;
    wanted.current = false;
    void open(state.order);
  }, [state.phase]);

  return { state, pay, retry: () => dispatch({ type: 'again' }) };
}
