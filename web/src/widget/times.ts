/** The free times of a week at a time. Each is a link that goes on in a tab of ours. */

import type { ListSlotsResponse } from '@/gen/booking/v1/booking_service_pb';
import { listSlots } from '@/gen/booking/v1/list_slots_read';
import { deviceMs } from '@/lib/clock';
import { connectGet } from '@/lib/connect-get';
import { type FreeDay, freeDays } from '@/lib/free-days';
import {
  describeDay,
  formatCalendarDate,
  formatClock,
  formatOwnTime,
  formatShortDate,
  formatTime,
  toDate,
  type Zone,
} from '@/lib/time';
import { button, element, hidden } from './dom';
import { freeCount, holding, type Words } from './words';

const DAYS_SHOWN = 7;
/** Other clients book too: what is older is read again when the page comes back into view. */
const FRESH_MS = 60_000;

export type Whose = { serviceId: string; practitionerId: string };

export type TimesParts = {
  words: Words;
  holdMinutes: number;
  /** The address at which a start is gone on with. */
  linkTo: (startsAt: Date) => string;
  onDay: (date: string) => void;
  onTime: (startsAt: Date) => void;
  /** Says something to screen readers. */
  announce: (text: string) => void;
};

function addDays(date: string, days: number): string {
  const at = new Date(`${date}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

function readWeek(whose: Whose, fromDate: string, signal: AbortSignal): Promise<ListSlotsResponse> {
  return connectGet(listSlots, { input: { ...whose, fromDate, days: DAYS_SHOWN }, signal });
}

/** Switches a button off without taking the focus from it. */
function setOff(target: HTMLElement, off: boolean): void {
  target.setAttribute('aria-disabled', String(off));
}

export class Times {
  readonly node: HTMLElement;
  readonly #parts: TimesParts;
  readonly #heading: HTMLElement;
  readonly #days: HTMLElement;
  readonly #body = element('div', { class: 'body' });
  readonly #notes = element('div', { class: 'quiet' });
  readonly #earlier: HTMLButtonElement;
  readonly #later: HTMLButtonElement;
  #whose: Whose = { serviceId: '', practitionerId: '' };
  #weeks: string[] = [''];
  #date = '';
  #answer: ListSlotsResponse | undefined;
  #readAt = 0;
  #abort = new AbortController();

  constructor(parts: TimesParts) {
    const { words } = parts;
    this.#parts = parts;
    this.#heading = element('h2', { tabindex: '-1' }, words.freeTimes);
    this.#days = element('div', { class: 'days', role: 'group', 'aria-label': words.days });
    this.#earlier = button(words.earlier, () => this.#turn(this.#weeks.slice(0, -1)), 'plain');
    this.#later = button(
      words.later,
      () => this.#turn([...this.#weeks, this.#following()]),
      'plain',
    );
    const steps = element('div', { class: 'steps' }, this.#earlier, this.#later);
    const content = [this.#heading, this.#days, this.#body, steps, this.#notes];
    this.node = element('div', { class: 'times' }, ...content);
    window.addEventListener('online', () => {
      if (!this.#answer) void this.#read();
    });
    document.addEventListener('visibilitychange', () => this.#refresh());
  }

  /** Shows the week that begins today, of a service with one practitioner or with anyone. */
  show(whose: Whose): void {
    this.#whose = whose;
    this.#turn(['']);
  }

  /** Writes the links anew. */
  renew(): void {
    if (this.#answer) this.#draw(this.#answer);
  }

  focus(): void {
    this.#heading.focus();
  }

  #following(): string {
    return addDays(this.#answer?.days.at(-1)?.date ?? '', 1);
  }

  #turn(weeks: string[]): void {
    this.#weeks = weeks;
    this.#date = '';
    this.#answer = undefined;
    void this.#read();
  }

  #refresh(): void {
    const old = deviceMs() - this.#readAt > FRESH_MS;
    if (document.visibilityState === 'visible' && this.#answer && old) void this.#read();
  }

  async #read(): Promise<void> {
    this.#abort.abort();
    const abort = new AbortController();
    this.#abort = abort;
    if (!this.#answer) this.#drawLoading();
    try {
      const answer = await readWeek(this.#whose, this.#weeks.at(-1) ?? '', abort.signal);
      if (abort.signal.aborted) return;
      const first = !this.#answer;
      this.#answer = answer;
      this.#readAt = deviceMs();
      this.#draw(answer);
      if (first) this.#tell(answer);
    } catch {
      // Times that are there already are better than none: the hold decides.
      if (!abort.signal.aborted && !this.#answer) this.#drawFailure();
    }
  }

  #tell(answer: ListSlotsResponse): void {
    const days = freeDays(answer);
    const count = days.reduce((sum, day) => sum + day.count, 0);
    const [first] = days;
    const from = first ? `${formatCalendarDate(first.date)}, ${answer.timeZoneLabel}` : '';
    this.#parts.announce(`${this.#parts.words.freeTimes}: ${freeCount(count)}. ${from}`);
  }

  /** Puts something in the place of the days and times. The focus stays at the same day or time. */
  #replace(body: readonly Node[], days: readonly Node[] = []): void {
    const focused = document.activeElement;
    const inside = this.#body.contains(focused) || this.#days.contains(focused);
    const key = focused instanceof HTMLElement ? focused.dataset.key : undefined;
    this.#days.replaceChildren(...days);
    this.#days.hidden = days.length === 0;
    this.#body.replaceChildren(...body);
    if (!inside) return;
    const all = this.node.querySelectorAll<HTMLElement>('[data-key]');
    const same = [...all].find((one) => key !== undefined && one.dataset.key === key);
    if (same) same.focus();
    else this.focus();
  }

  #drawLoading(): void {
    const { words, announce } = this.#parts;
    this.node.setAttribute('aria-busy', 'true');
    setOff(this.#earlier, true);
    setOff(this.#later, true);
    this.#replace([element('p', { class: 'loading' }, words.looking)]);
    announce(words.looking);
  }

  #drawFailure(): void {
    const { words, announce } = this.#parts;
    const offline = !navigator.onLine;
    this.node.removeAttribute('aria-busy');
    setOff(this.#earlier, this.#weeks.length === 1);
    const title = offline ? words.offline : words.failed;
    const why = offline ? words.offlineWhy : words.failedWhy;
    const retry = button(words.retry, () => void this.#read());
    const notice = element('div', { class: 'notice' }, element('h3', {}, title));
    notice.append(element('p', {}, why), retry);
    this.#replace([notice]);
    announce(`${title}. ${why}`);
  }

  #draw(answer: ListSlotsResponse): void {
    const zone: Zone = { timeZone: answer.timeZone, label: answer.timeZoneLabel };
    const days = freeDays(answer);
    const day = days.find(({ date }) => date === this.#date) ?? days.find(({ count }) => count > 0);
    this.node.removeAttribute('aria-busy');
    setOff(this.#earlier, this.#weeks.length === 1);
    setOff(this.#later, days.length < DAYS_SHOWN || this.#following() > answer.lastDate);
    const buttons = days.map((one) => this.#dayButton(one, one.date === day?.date, zone));
    this.#replace(day ? this.#timesOf(day, zone) : [this.#noTimes(answer, zone)], buttons);
    const { holdMinutes } = this.#parts;
    const sentence = `All times are in ${zone.label} (${zone.timeZone}). ${holding(holdMinutes)}`;
    this.#notes.replaceChildren(element('p', {}, sentence));
  }

  #dayButton(day: FreeDay, pressed: boolean, zone: Zone): HTMLElement {
    const { weekday, day: number, month } = describeDay(day.date);
    const made = element(
      'button',
      {
        type: 'button',
        class: 'day',
        'data-key': day.date,
        'aria-pressed': String(pressed),
        'aria-label': `${formatCalendarDate(day.date)}, ${freeCount(day.count)}`,
      },
      element('span', {}, weekday),
      element('b', {}, number),
      element('span', {}, day.count === 0 ? 'None' : month),
    );
    made.disabled = day.count === 0;
    made.addEventListener('click', () => {
      this.#date = day.date;
      for (const other of this.#days.children) {
        other.setAttribute('aria-pressed', String(other === made));
      }
      this.#body.replaceChildren(...this.#timesOf(day, zone));
      this.#parts.onDay(day.date);
    });
    return made;
  }

  #timesOf(day: FreeDay, zone: Zone): Node[] {
    return day.parts.map(({ name, times }) => {
      const items = times.map(({ startsAt }) => {
        const words = ` ${zone.label}, ${formatCalendarDate(day.date)}`;
        const link = this.#link(startsAt, formatClock(startsAt, zone), words);
        const own = formatOwnTime(startsAt, zone);
        if (own) link.append(element('small', {}, own));
        return element('li', {}, link);
      });
      return element('div', {}, element('h3', {}, name), element('ul', {}, ...items));
    });
  }

  /** A link into our own tab; a press of it is told before the tab opens. */
  #link(startsAt: Date, label: string, more: string, kind = 'time'): HTMLElement {
    const { linkTo, onTime, words } = this.#parts;
    const attributes = { class: kind, target: '_blank', rel: 'noopener', href: linkTo(startsAt) };
    const key = { 'data-key': startsAt.toISOString() };
    const link = element(
      'a',
      { ...attributes, ...key },
      label,
      hidden(`${more}, ${words.opensTab}`),
    );
    // The browser follows the link when its listeners are through, so it is not taken away before.
    link.addEventListener('click', () => setTimeout(() => onTime(startsAt)));
    link.addEventListener('auxclick', (event) => {
      if (event.button === 1) setTimeout(() => onTime(startsAt));
    });
    return link;
  }

  #noTimes({ nextAvailableAt }: ListSlotsResponse, zone: Zone): Node {
    const { words } = this.#parts;
    const notice = element('div', { class: 'notice' }, element('h3', {}, words.noneFree));
    const next = nextAvailableAt && toDate(nextAvailableAt);
    notice.append(element('p', {}, next ? words.roomLater : words.allBooked));
    if (next) {
      const label = `${words.nextFree} ${formatShortDate(next, zone)}, ${formatTime(next, zone)}`;
      notice.append(this.#link(next, label, '', 'button'));
    } else {
      const attributes = { class: 'button', href: '/contact', target: '_blank', rel: 'noopener' };
      notice.append(element('a', attributes, words.contact, hidden(`, ${words.opensTab}`)));
    }
    return notice;
  }
}
