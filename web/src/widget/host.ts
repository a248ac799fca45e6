/**
 * /embed.js: puts the booking widget on a page of another site. It writes no inline style and no markup,
 * evaluates nothing and reads nothing of the page, so it runs under a strict content policy. The page's
 * policy has to allow this script and the frame (docs/EMBEDDING.md).
 */
import { HEARS, MESSAGE_VERSION, parseMessage, SAYS } from './messages';
import { SETTING_NAMES } from './settings-names';

const ELEMENT = 'sukoon-booking';
/** A plain frame that is resized and filled in, too. */
const PLAIN = 'iframe[data-sukoon-booking]';
const PATH = '/embed/book';
const TITLE = 'Book a session';

const HEIGHT_FIRST = 640;
const HEIGHT_MIN = 120;
const HEIGHT_MAX = 20_000;

/** A frame that says nothing for so long may be one that its site does not let this page show. */
const SILENCE_MS = 3_000;
/** What the booking page reads of the widget's settings. */
const LINKED = ['service', 'package', 'practitioner'];

type Prefill = { name: string; email: string };

/** A frame on the page, with the element that its events are dispatched on. */
class Frame {
  readonly #frame: HTMLIFrameElement;
  readonly #target: HTMLElement;
  readonly #site: string;
  readonly #prefill: () => Prefill;
  #ready = false;
  #way: HTMLElement | undefined;
  readonly #silence: ReturnType<typeof setTimeout>;

  constructor(frame: HTMLIFrameElement, target: HTMLElement, site: string, prefill: () => Prefill) {
    this.#frame = frame;
    this.#target = target;
    this.#site = site;
    this.#prefill = prefill;
    frame.addEventListener('load', this.#hello);
    window.addEventListener('load', this.#hello);
    window.addEventListener('message', this.#hear);
    this.#silence = setTimeout(this.#leadOn, SILENCE_MS);
    if (document.readyState === 'complete' && frame.isConnected) this.#hello();
  }

  stop(): void {
    window.removeEventListener('load', this.#hello);
    window.removeEventListener('message', this.#hear);
    this.#heard();
  }

  /** Tells the widget what can be filled in; it goes to our origin alone. */
  sendPrefill(): void {
    if (this.#ready) this.#say(HEARS.prefill, this.#prefill());
  }

  /** The widget may have been ready before this script was there. */
  readonly #hello = () => {
    if (!this.#ready) this.#say(HEARS.hello, {});
  };

  readonly #hear = ({ source, origin, data }: MessageEvent) => {
    if (!source || source !== this.#frame.contentWindow || origin !== this.#site) return;
    const message = parseMessage(data);
    if (!message) return;
    const { event, payload } = message;
    if (event === SAYS.resize) this.#resize(Number(payload.height));
    if (event === SAYS.ready) {
      if (this.#ready) return;
      this.#ready = true;
      this.#heard();
      this.sendPrefill();
    }
    this.#target.dispatchEvent(new CustomEvent(event, { bubbles: true, detail: payload }));
  };

  /** The frame works, or is gone: the way around it is not needed. */
  #heard(): void {
    clearTimeout(this.#silence);
    this.#way?.remove();
  }

  /** The page of this site where the same is booked, above a frame that may never show anything. */
  readonly #leadOn = () => {
    const link = document.createElement('a');
    const asked = new URL(this.#frame.src).searchParams;
    const query = new URLSearchParams();
    for (const name of LINKED) if (asked.has(name)) query.set(name, asked.get(name) ?? '');
    const text = query.toString();
    link.href = `${this.#site}/book${text ? `?${text}` : ''}`;
    link.target = '_blank';
    link.rel = 'noopener';
    link.textContent = `${this.#frame.title || TITLE} (opens in a new tab)`;
    this.#way = document.createElement('p');
    this.#way.append(link);
    this.#frame.before(this.#way);
  };

  #say(event: string, payload: object): void {
    const message = { event, version: MESSAGE_VERSION, payload };
    this.#frame.contentWindow?.postMessage(message, this.#site);
  }

  #resize(height: number): void {
    if (!(height >= HEIGHT_MIN)) return;
    this.#frame.style.height = `${Math.min(height, HEIGHT_MAX)}px`;
  }
}

function addressOf(element: HTMLElement, site: string): string {
  const query = new URLSearchParams();
  for (const name of SETTING_NAMES) {
    const value = element.getAttribute(name)?.trim();
    if (value) query.set(name, value.replace(/^#/, ''));
  }
  const text = query.toString();
  return `${site}${PATH}${text ? `?${text}` : ''}`;
}

/** `<sukoon-booking service="…">` for widgets of this site. */
function elementOf(site: string) {
  return class SukoonBooking extends HTMLElement {
    static readonly observedAttributes = [...SETTING_NAMES, 'name', 'email'];
    #frame: HTMLIFrameElement | undefined;
    #shown: Frame | undefined;

    connectedCallback(): void {
      if (this.#frame) return;
      const frame = document.createElement('iframe');
      frame.title = this.getAttribute('label') || TITLE;
      frame.referrerPolicy = 'origin';
      frame.src = addressOf(this, site);
      const style = { width: '100%', height: `${HEIGHT_FIRST}px`, border: '0', display: 'block' };
      Object.assign(frame.style, style);
      if (!this.style.display) this.style.display = 'block';
      this.#frame = frame;
      this.#shown = new Frame(frame, this, site, () => ({
        name: this.getAttribute('name') ?? '',
        email: this.getAttribute('email') ?? '',
      }));
      this.append(frame);
    }

    disconnectedCallback(): void {
      this.#shown?.stop();
      this.#frame?.remove();
      this.#frame = undefined;
      this.#shown = undefined;
    }

    attributeChangedCallback(name: string): void {
      if (!this.#frame) return;
      if (name === 'name' || name === 'email') this.#shown?.sendPrefill();
      else if (this.#frame.src !== addressOf(this, site)) {
        // A frame with other settings is another widget.
        this.disconnectedCallback();
        this.connectedCallback();
      }
    }
  };
}

/** Plain frames of this site that the page's own markup has. */
function takePlainFrames(site: string): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>(PLAIN)) {
    if (!frame.src.startsWith(`${site}${PATH}`)) continue;
    // One that this script has seen already is left alone.
    if (frame.dataset.sukoonBooking === 'shown') continue;
    frame.dataset.sukoonBooking = 'shown';
    // As attributes, so that every style sheet of the page has the last word.
    if (!frame.width) frame.width = '100%';
    frame.setAttribute('frameborder', '0');
    new Frame(frame, frame, site, () => ({
      name: frame.dataset.name ?? '',
      email: frame.dataset.email ?? '',
    }));
  }
}

/** Begins for the widget of the site that this script came from. */
export function begin(scriptAddress: string): void {
  const site = new URL(scriptAddress).origin;
  if (!customElements.get(ELEMENT)) customElements.define(ELEMENT, elementOf(site));
  if (document.readyState === 'loading') {
    document.addEventListener('DOMContentLoaded', () => takePlainFrames(site));
  } else takePlainFrames(site);
}
