/**
 * The messages between the widget and the page around it, as docs/EMBEDDING.md says. The widget speaks
 * to an origin that the practice lists, never to all, and hears only the page around it.
 */

/** The version of the form of all messages. */
export const MESSAGE_VERSION = 1;

/** What the widget says. */
export const SAYS = {
  ready: 'sukoon:ready',
  resize: 'sukoon:resize',
  settingIgnored: 'sukoon:setting_ignored',
  serviceSelected: 'sukoon:service_selected',
  daySelected: 'sukoon:day_selected',
  timeSelected: 'sukoon:time_selected',
  bookingOpened: 'sukoon:booking_opened',
  bookingHeld: 'sukoon:booking_held',
  eventScheduled: 'sukoon:event_scheduled',
  bookingCancelled: 'sukoon:booking_cancelled',
  bookingExpired: 'sukoon:booking_expired',
  closed: 'sukoon:closed',
} as const;

/** What the widget hears. */
export const HEARS = { hello: 'sukoon:hello', prefill: 'sukoon:prefill' } as const;

export type Payload = Record<string, string | number>;
export type Message = { event: string; version: number; payload: Payload };

/** A message of ours, out of data of any kind. */
export function parseMessage(data: unknown): Message | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { event, payload } = data as Partial<Message>;
  if (typeof event !== 'string' || !event.startsWith('sukoon:')) return undefined;
  const known = typeof payload === 'object' && payload !== null ? payload : {};
  return { event, version: MESSAGE_VERSION, payload: known };
}

/** What of a window is needed here. */
type FrameWindow = Pick<Window, 'parent' | 'addEventListener'> & {
  location: { ancestorOrigins?: ArrayLike<string> };
  document: { referrer: string };
};

function originOf(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    return '';
  }
}

/**
 * The page around the widget. Where the browser does not say its origin, a message is addressed to each
 * listed one: it reaches the page only if that is its origin.
 */
export class ParentPage {
  readonly #window: FrameWindow;
  readonly #listed: readonly string[];
  #origin: string;

  constructor(window: FrameWindow, listed: readonly string[]) {
    this.#window = window;
    this.#listed = listed;
    const referrer = originOf(window.document.referrer);
    const likely = listed.includes(referrer) ? referrer : '';
    this.#origin = window.location.ancestorOrigins?.[0] ?? likely;
  }

  /** Whether there is a page around this one. */
  get #framed(): boolean {
    return this.#window.parent !== (this.#window as unknown);
  }

  #targets(): readonly string[] {
    if (!this.#framed) return [];
    return this.#origin ? this.#listed.filter((one) => one === this.#origin) : this.#listed;
  }

  say(event: string, payload: Payload = {}): void {
    const message: Message = { event, version: MESSAGE_VERSION, payload };
    for (const origin of this.#targets()) this.#window.parent.postMessage(message, origin);
  }

  /** Hears messages that come from the page around this one, and from a listed origin. */
  listen(hear: (message: Message) => void): void {
    this.#window.addEventListener('message', ({ source, origin, data }) => {
      if (!this.#framed || source !== this.#window.parent) return;
      if (!this.#listed.includes(origin)) return;
      const message = parseMessage(data);
      if (!message) return;
      this.#origin = origin;
      hear(message);
    });
  }
}
