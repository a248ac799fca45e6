/** The state of the payment panel: the order, then the provider's script, then the window. */
import type { StartPaymentResponse } from '@/gen/payments/v1/payments_service_pb';

export type PanelPhase =
  | 'creating-order'
  | 'loading-script'
  | 'ready'
  | 'opening'
  | 'open'
  | 'answered'
  | 'failed';

export type PanelState = {
  phase: PanelPhase;
  order: StartPaymentResponse | undefined;
  /** Why the order could not be made, or the window not be opened. */
  error: unknown;
  /** Words about an attempt that the bank refused. */
  declined: string | undefined;
  /** The window was closed without paying at least once. */
  dismissed: boolean;
  /** Grows with every new beginning. */
  round: number;
};

export type PanelEvent =
  | { type: 'preparing' }
  | { type: 'order'; order: StartPaymentResponse }
  | { type: 'script' }
  | { type: 'failed'; error: unknown }
  | { type: 'opening' }
  | { type: 'opened' }
  | { type: 'not-opened'; error: unknown }
  | { type: 'dismissed' }
  | { type: 'declined'; words: string }
  | { type: 'answered' }
  | { type: 'again' };

export const INITIAL_PANEL: PanelState = {
  phase: 'creating-order',
  order: undefined,
  error: undefined,
  declined: undefined,
  dismissed: false,
  round: 0,
};

export function panelReducer(state: PanelState, event: PanelEvent): PanelState {
  switch (event.type) {
    case 'preparing':
      return { ...state, phase: 'creating-order', error: undefined };
    case 'order':
      return { ...state, phase: 'loading-script', order: event.order };
    case 'script':
      return { ...state, phase: 'ready' };
    case 'failed':
      return { ...state, phase: 'failed', error: event.error };
    case 'opening':
      return { ...state, phase: 'opening', error: undefined, declined: undefined };
    case 'opened':
      return { ...state, phase: 'open' };
    case 'not-opened':
      return { ...state, phase: 'ready', error: event.error };
    case 'dismissed':
      return { ...state, phase: 'ready', dismissed: true };
    case 'declined':
      // The window stays open for another attempt; the message is shown behind it.
      return { ...state, declined: event.words, dismissed: true };
    case 'answered':
      return { ...state, phase: 'answered', declined: undefined };
    case 'again':
      return { ...state, round: state.round + 1 };
  }
}
