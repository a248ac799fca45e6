/** What the simulated third parties have seen, and orders for them. */
import { until } from './practice';

export type Mail = {
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; base64: string }[];
  headers: { name: string; value: string }[];
};

type ProviderOrder = { id: string; receipt: string; amount: number; status: string };
type ProviderPayment = { id: string; order_id: string; status: string; method: string };
/** The options with which a page opened the checkout. */
type Opened = { order_id: string; referer: string; config: unknown };
type Beacon = { order_id: string; script: string };
type ProviderLink = { id: string; status: string };
type Book = {
  orders: ProviderOrder[];
  payments: ProviderPayment[];
  payment_links: ProviderLink[];
};

export type Fault = {
  target: string;
  kind: string;
  times?: number;
  delay_ms?: number;
  code?: string;
};

export class Sandbox {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  private async ask<T>(path: string, init?: RequestInit): Promise<T> {
    const answer = await fetch(`${this.url}${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return (text ? JSON.parse(text) : null) as T;
  }

  private post(path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    return this.ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** The mails to an address, newest first. */
  inbox(to: string): Promise<Mail[]> {
    return this.ask(`/api/inbox?to=${encodeURIComponent(to)}`);
  }

  /** The newest mail to an address whose subject fits, as soon as there is one. */
  mail(to: string, subject: RegExp): Promise<Mail> {
    return until(async () => (await this.inbox(to)).find((mail) => subject.test(mail.subject)));
  }

  book(): Promise<Book> {
    return this.ask('/api/book');
  }

  /** The provider's orders for a booking; there must never be more than one. */
  async payments(orderId: string): Promise<ProviderPayment[]> {
    return (await this.book()).payments.filter((payment) => payment.order_id === orderId);
  }

  /** The options of an order's checkouts, oldest first, as soon as there are so many. */
  opened(orderId: string, count: number): Promise<Opened[]> {
    return until(async () => {
      const all = await this.ask<Opened[]>('/api/checkouts');
      const ours = all.filter((opened) => opened.order_id === orderId);
      return ours.length >= count ? ours : undefined;
    });
  }

  /** Which of the checkout's scripts ran for an order and called home, as soon as there are so many. */
  beacons(orderId: string, count: number): Promise<string[]> {
    return until(async () => {
      const all = await this.ask<Beacon[]>('/api/beacons');
      const ours = all.filter((beacon) => beacon.order_id === orderId);
      return ours.length >= count ? ours.map(({ script }) => script) : undefined;
    });
  }

  /** Decides at the bank about a payment whose window was closed. */
  async decide(paymentId: string, approves: boolean): Promise<void> {
    const body = new URLSearchParams({ approves: String(approves) });
    await fetch(`${this.url}/checkout/bank/${paymentId}`, { method: 'POST', body });
  }

  /** Pays without a browser. */
  async pay(orderId: string): Promise<void> {
    await this.post('/api/pay', { order_id: orderId, method: 'upi' });
  }

  /** Pays a payment link without a browser. */
  async payLink(linkId: string): Promise<void> {
    await this.post('/api/pay', { link_id: linkId, method: 'upi' });
  }

  /** Lets a payment link end now. */
  async endLink(linkId: string, becomes: 'expired' | 'cancelled'): Promise<void> {
    await this.post('/api/link', { link_id: linkId, becomes });
  }

  /** Whether the provider sends its webhooks. */
  async sendWebhooks(sent: boolean): Promise<void> {
    await this.post('/api/switches', { webhooks_off: !sent });
  }

  async order(fault: Fault): Promise<void> {
    await this.post('/api/faults', fault);
  }

  /** Which starts the scheduling provider shows as free: all that nothing was scheduled at. */
  freeStarts(): Promise<string[]> {
    return this.ask('/scheduling/widget/session/times');
  }

  async clearFaults(): Promise<void> {
    await this.ask('/api/faults', { method: 'DELETE' });
  }
}

/** What a header of a mail says, or nothing. */
export function headerOf({ headers }: Mail, name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value;
}

/** The digits of a mail: six, or eight where no known device asked. */
export function codeOf(mail: Mail): string {
  const code = /(?<!\d)(?:\d{6}|\d{8})(?!\d)/.exec(mail.text)?.[0];
  if (!code) throw new Error(`There is no code in "${mail.subject}".`);
  return code;
}

/** The link of a mail with a code. */
export function linkOf(mail: Mail): string {
  const link = /https?:\/\/\S+\/confirm#\S+/.exec(mail.text)?.[0];
  if (!link) throw new Error(`There is no link in "${mail.subject}".`);
  return link;
}

/** The text of the calendar file of a mail, with its folded lines joined. */
export function calendarOf(mail: Mail): string {
  const file = mail.attachments.find(({ filename }) => filename.endsWith('.ics'));
  if (!file) throw new Error(`"${mail.subject}" carries no calendar file.`);
  return Buffer.from(file.base64, 'base64')
    .toString('utf8')
    .replace(/\r\n[ \t]/g, '');
}
