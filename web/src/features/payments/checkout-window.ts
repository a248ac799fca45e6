/** The provider's checkout as it offers itself to a page. */

/** Its name, as people know it: the only provider whose window can be opened here. */
export const PROVIDER_NAME = 'Razorpay';

/** What it hands over when the customer has paid. */
export type CheckoutAnswer = { paymentId: string; signature: string };

/** The same in its own words. */
type GivenAnswer = {
  razorpay_payment_id: string;
  razorpay_order_id: string;
  razorpay_signature: string;
};

export type CheckoutFailure = {
  error?: { code?: string; description?: string; reason?: string; step?: string };
};

type Instrument = { method: string; flows: string[] };

/** Which ways to pay are offered, and in which order. */
export type CheckoutDisplay = {
  blocks: Record<string, { name: string; instruments: Instrument[] }>;
  hide: Instrument[];
  sequence: string[];
  preferences: { show_default_blocks: boolean };
};

/**
 * UPI first, in the flow that leads to an app: on a phone the apps that are on it, elsewhere a code
 * to scan. Requests to a UPI ID that the payer types are hidden: India's banks ended them on
 * 28 February 2026, and while they are not hidden, their field may stand in the place of the code.
 */
export function displayFor(userAgent: string): CheckoutDisplay {
  const upi = (flow: string) => [{ method: 'upi', flows: [flow] }];
  const flow = /Android|iPhone|iPod/.test(userAgent) ? 'intent' : 'qr';
  return {
    blocks: { upi: { name: 'UPI', instruments: upi(flow) } },
    hide: upi('collect'),
    sequence: ['block.upi'],
    preferences: { show_default_blocks: true },
  };
}

export type CheckoutOptions = {
  key: string;
  amount: number;
  currency: string;
  name: string;
  order_id: string;
  prefill: { name: string; email: string; contact: string };
  theme: { color: string };
  /** What the checkout offers. */
  config: { display: CheckoutDisplay };
  modal: { ondismiss: () => void; confirm_close: boolean };
  /** Seconds until the window closes by itself. */
  timeout: number;
  /** Where the answer is posted to in browsers that leave the page to pay. */
  callback_url: string;
  handler: (answer: GivenAnswer) => void;
};

type CheckoutWindow = {
  open: () => void;
  on: (event: 'payment.failed', listener: (failure: CheckoutFailure) => void) => void;
};

declare global {
  interface Window {
    Razorpay?: new (options: CheckoutOptions) => CheckoutWindow;
  }
}

/** The provider's script did not come. The order is there, and nothing was asked of the client. */
export class ScriptNotLoaded extends Error {}

const LOAD_MS_MAX = 20_000;
const loading = new Map<string, Promise<void>>();

function load(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    const timer = setTimeout(
      () => end(new ScriptNotLoaded('The checkout script is late.')),
      LOAD_MS_MAX,
    );
    function end(error?: Error) {
      clearTimeout(timer);
      if (!error) return resolve();
      script.remove();
      loading.delete(url);
      reject(error);
    }
    script.src = url;
    script.async = true;
    script.onload = () => end();
    script.onerror = () => end(new ScriptNotLoaded('The checkout script did not load.'));
    document.head.append(script);
  });
}

/** Loads the provider's script once; a failure can be tried again. */
export function loadCheckoutScript(url: string): Promise<void> {
  if (window.Razorpay) return Promise.resolve();
  let pending = loading.get(url);
  if (!pending) {
    pending = load(url);
    loading.set(url, pending);
  }
  return pending;
}

/** Opens its window; `false` while its script is not there. */
export function openCheckout(
  options: Omit<CheckoutOptions, 'handler'>,
  onAnswer: (answer: CheckoutAnswer) => void,
  onFailure: (failure: CheckoutFailure) => void,
): boolean {
  if (!window.Razorpay) return false;
  const handler = (given: GivenAnswer) =>
    onAnswer({ paymentId: given.razorpay_payment_id, signature: given.razorpay_signature });
  const checkout = new window.Razorpay({ ...options, handler });
  checkout.on('payment.failed', onFailure);
  checkout.open();
  return true;
}
