/**
 * The booking widget in a frame of another site: sessions and free times, and nothing of a person. What
 * is chosen goes on in a tab of ours, which reports back through the server.
 */
import { bookPath, NOTHING_CHOSEN } from '@/features/booking/book-page/book-url';
import { listServices } from '@/gen/catalogue/v1/list_services_read';
import { connectGet } from '@/lib/connect-get';
import { toInstant } from '@/lib/instant';
import { withNumbers } from '@/lib/phone-numbers';
import { type Prefill, parsePrefill, prefillFragment, readPrefill } from '@/lib/prefill';
import { randomKey } from '@/lib/random-key';
import { choice, element, hidden } from './dom';
import { HEARS, ParentPage, type Payload, SAYS } from './messages';
import { type OfferedPackage, type OfferedService, offerOf, type WidgetData } from './offer';
import { Progress } from './progress';
import { followReport, type ReportState, readReport } from './report';
import { readSettings, type Settings } from './settings';
import { Times } from './times';

const STEPS: Partial<Record<ReportState, string>> = {
  held: SAYS.bookingHeld,
  confirmed: SAYS.eventScheduled,
  cancelled: SAYS.bookingCancelled,
  expired: SAYS.bookingExpired,
};

/** The note with its numbers as links. */
function linked(note: string): (Node | string)[] {
  return withNumbers(note).map(({ text, number }) =>
    number ? element('a', { href: `tel:${number}`, class: 'number' }, text) : text,
  );
}

function labelOf({ title, durationText, priceText }: OfferedService): string {
  return `${title} · ${durationText} · ${priceText}`;
}

class Widget {
  readonly #root: HTMLElement;
  readonly #data: WidgetData;
  readonly #settings: Settings;
  readonly #parent: ParentPage;
  readonly #status = element('p', { role: 'status', class: 'hidden' });
  readonly #choices = element('div', { class: 'choices' });
  readonly #times: Times;
  readonly #progress: Progress;
  #serviceId: string;
  #practitionerId: string;
  #reportId = randomKey();
  #prefill: Prefill = parsePrefill(window.location.hash);
  #stop: (() => void) | undefined;

  constructor(root: HTMLElement, data: WidgetData) {
    this.#root = root;
    this.#data = data;
    this.#settings = readSettings(window.location.search, data);
    this.#parent = new ParentPage(window, data.parents);
    const { words, serviceId, practitionerId } = this.#settings;
    this.#serviceId = serviceId || (data.services[0]?.serviceId ?? '');
    this.#practitionerId = practitionerId;
    const announce = (text: string) => {
      this.#status.textContent = text;
    };
    this.#times = new Times({
      words,
      announce,
      holdMinutes: data.holdMinutes,
      linkTo: (startsAt) => this.#address({ startsAt }),
      onDay: (date) => this.#say(SAYS.daySelected, { ...this.#chosen(), date }),
      onTime: (startsAt) => this.#begin({ startsAt }),
    });
    this.#progress = new Progress({ words, announce, onLeave: () => this.#leave() });
  }

  start(): void {
    const { words, packageId, ignored } = this.#settings;
    this.#paint();
    this.#listen();
    const offered = this.#data.packages.find((one) => one.packageId === packageId);
    const { practiceName, crisisNote } = this.#data;
    const heading = element('h1', {}, words.title);
    const foot = element('div', { class: 'foot quiet' });
    foot.append(element('p', {}, ...linked(crisisNote)), element('p', {}, practiceName));
    const start = offered ? this.#packageOf(offered) : this.#times.node;
    const content = [heading, this.#choices, start, this.#progress.node, foot, this.#status];
    this.#root.replaceChildren(...content);
    this.#say(SAYS.ready);
    for (const { name, reason } of ignored) this.#say(SAYS.settingIgnored, { name, reason });
    if (offered) return;
    this.#drawChoices();
    this.#showTimes();
    void this.#refreshOffer();
  }

  #say(event: string, payload: Payload = {}): void {
    this.#parent.say(event, payload);
  }

  /** Colours are set by script, so that the content policy needs no inline style. */
  #paint(): void {
    const root = document.documentElement;
    const { theme, properties } = this.#settings.colours;
    root.dataset.theme = theme;
    for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value);
  }

  #listen(): void {
    this.#parent.listen(({ event, payload }) => {
      if (event === HEARS.hello) {
        this.#say(SAYS.ready);
        this.#sayHeight();
      }
      if (event === HEARS.prefill) {
        this.#prefill = readPrefill(payload);
        this.#times.renew();
      }
    });
    new ResizeObserver(() => this.#sayHeight()).observe(this.#root);
  }

  #sayHeight(): void {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    this.#say(SAYS.resize, { height });
  }

  #chosen(): Payload {
    const { packageId } = this.#settings;
    return packageId ? { packageId } : { serviceId: this.#serviceId };
  }

  /** Where the booking goes on, in a tab of ours. */
  #address({ startsAt }: { startsAt?: Date }): string {
    const { packageId } = this.#settings;
    const report = this.#reportId;
    const url = startsAt
      ? {
          serviceId: this.#serviceId,
          practitioner: this.#practitionerId,
          slot: toInstant(startsAt),
          step: 'calendar-terms' as const,
        }
      : { packageId };
    const path = bookPath({ ...NOTHING_CHOSEN, ...url, report });
    return `${path}${prefillFragment(this.#prefill)}`;
  }

  #drawChoices(): void {
    const { words, serviceId, ignored } = this.#settings;
    const { services } = this.#data;
    const service = services.find((one) => one.serviceId === this.#serviceId);
    const parts: Node[] = [];
    const refused = ignored.find(({ name }) => name === 'service' || name === 'package')?.name;
    if (refused) {
      const text = refused === 'package' ? words.noPackage : words.notOffered;
      parts.push(element('p', { class: 'notice' }, text));
    }
    if (serviceId && service) parts.push(element('p', { class: 'service' }, labelOf(service)));
    else {
      const options = services.map((one) => ({ value: one.serviceId, label: labelOf(one) }));
      const given = { options, value: this.#serviceId };
      parts.push(choice(words.session, given, (value) => this.#chooseService(value)));
    }
    const practitioners = service?.practitioners ?? [];
    if (!practitioners.some((one) => one.practitionerId === this.#practitionerId)) {
      this.#practitionerId = '';
    }
    if (practitioners.length > 1) {
      const all = practitioners.map((one) => ({ value: one.practitionerId, label: one.name }));
      const options = [{ value: '', label: words.anyone }, ...all];
      const given = { options, value: this.#practitionerId };
      const choose = (value: string) => {
        this.#practitionerId = value;
        this.#showTimes();
      };
      parts.push(choice(words.practitioner, given, choose));
    }
    // A choice that was pressed keeps the focus.
    const focused = document.activeElement as HTMLSelectElement;
    const place = [...this.#choices.querySelectorAll('select')].indexOf(focused);
    this.#choices.replaceChildren(...parts);
    this.#choices.querySelectorAll('select')[place]?.focus();
  }

  #chooseService(serviceId: string): void {
    this.#serviceId = serviceId;
    this.#drawChoices();
    this.#say(SAYS.serviceSelected, { serviceId });
    this.#showTimes();
  }

  #showTimes(): void {
    const [serviceId, practitionerId] = [this.#serviceId, this.#practitionerId];
    if (serviceId) this.#times.show({ serviceId, practitionerId });
  }

  /** The document may be older than the catalogue. What it says stays where there is no answer. */
  async #refreshOffer(): Promise<void> {
    try {
      const answer = await connectGet(listServices, { cache: 'no-cache' });
      const { services } = offerOf(answer);
      if (JSON.stringify(services) === JSON.stringify(this.#data.services)) return;
      if (!services.some((one) => one.serviceId === this.#serviceId)) return;
      this.#data.services = services;
      this.#drawChoices();
    } catch {
      // The free times say by themselves when there is no connection.
    }
  }

  #packageOf({ title, description, priceText }: OfferedPackage): HTMLElement {
    const { words } = this.#settings;
    const attributes = { class: 'button', target: '_blank', rel: 'noopener', href: '' };
    const link = element('a', attributes, words.chooseDates, hidden(`, ${words.opensTab}`));
    const point = () => link.setAttribute('href', this.#address({}));
    point();
    // A prefill that came meanwhile, or another report, belongs into the address as well.
    link.addEventListener('click', () => {
      point();
      setTimeout(() => this.#begin({}));
    });
    const heading = element('h2', { tabindex: '-1' }, `${title} · ${priceText}`);
    return element('section', {}, heading, element('p', {}, description), link);
  }

  /** The link has opened its tab. */
  #begin(chosen: { startsAt?: Date }): void {
    const { startsAt } = chosen;
    const payload = {
      ...this.#chosen(),
      ...(startsAt && { startsAt: toInstant(startsAt) }),
    };
    if (startsAt) this.#say(SAYS.timeSelected, payload);
    this.#say(SAYS.bookingOpened, payload);
    const address = this.#address(chosen);
    const reportId = this.#reportId;
    this.#toggleStart(true);
    this.#progress.show('waiting', address);
    this.#stop?.();
    this.#stop = followReport({
      read: (signal) => readReport(reportId, signal),
      tell: (state) => {
        this.#progress.show(state, address);
        const step = STEPS[state];
        if (step) this.#say(step, payload);
      },
      tellEnd: () => this.#progress.show('ended', address),
    });
  }

  #toggleStart(away: boolean): void {
    this.#choices.hidden = away;
    const start = this.#choices.nextElementSibling;
    if (start instanceof HTMLElement) start.hidden = away;
  }

  #leave(): void {
    this.#stop?.();
    this.#stop = undefined;
    // Another booking is told by another report.
    this.#reportId = randomKey();
    this.#progress.hide();
    this.#toggleStart(false);
    if (this.#settings.packageId) this.#root.querySelector('h2')?.focus();
    else {
      this.#showTimes();
      this.#times.focus();
    }
    this.#say(SAYS.closed, this.#chosen());
  }
}

/** Draws the widget into an element, from what its document says. */
export function startWidget(root: HTMLElement, data: WidgetData): void {
  new Widget(root, data).start();
}
