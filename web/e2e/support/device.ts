/** Devices that say something wrong of themselves. */
import type { BrowserContext, Page } from '@playwright/test';

/** The server's clock, for a page whose own is set by the test. */
export async function setServerClock(page: Page, at: Date): Promise<void> {
  const headers = { date: at.toUTCString() };
  await page.route('**/robots.txt', (route) => route.fulfill({ headers, body: '' }));
}

/**
 * What a browser's pages read of the server's clock from their next load on: so many minutes later than
 * before, as where a test has moved the clocks of services.
 */
export async function setServerAhead(context: BrowserContext, minutes: number): Promise<void> {
  await context.addInitScript((ahead) => {
    const get = Headers.prototype.get;
    Headers.prototype.get = function later(name) {
      const value = get.call(this, name);
      if (name !== 'date' || !value) return value;
      return new Date(Date.parse(value) + ahead).toUTCString();
    };
  }, minutes * 60_000);
}

/** Sets the clock of each page of a browser wrong by so many minutes. */
export async function setClockWrong(context: BrowserContext, minutes: number): Promise<void> {
  await context.addInitScript((off) => {
    const real = Date;
    const now = () => real.now() + off;
    globalThis.Date = new Proxy(real, {
      construct: (_, given) =>
        given.length === 0 ? new real(now()) : Reflect.construct(real, given),
      apply: () => new real(now()).toString(),
      get: (of, name) => (name === 'now' ? now : Reflect.get(of, name)),
    });
  }, minutes * 60_000);
}

/** The zone that Chrome names where it does not know the machine's, and then refuses. */
export async function forgetZone(context: BrowserContext, zone: string): Promise<void> {
  await context.addInitScript((timeZone) => {
    const own = Intl.DateTimeFormat.prototype.resolvedOptions;
    Intl.DateTimeFormat.prototype.resolvedOptions = function resolvedOptions() {
      return { ...own.call(this), timeZone };
    };
  }, zone);
}

/** Takes away what the oldest of the browsers that README names lack. */
export async function makeOld(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const lacks: [object, readonly string[]][] = [
      [Intl, ['Segmenter', 'DurationFormat']],
      [window, ['requestIdleCallback', 'cancelIdleCallback', 'scheduler', 'Iterator']],
      [URL, ['canParse', 'parse']],
      [AbortSignal, ['any']],
      [Promise, ['withResolvers', 'try']],
      [Object, ['groupBy']],
      [Map, ['groupBy']],
      [Array, ['fromAsync']],
      [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf']],
      [String.prototype, ['isWellFormed', 'toWellFormed']],
      [ArrayBuffer.prototype, ['transfer', 'resizable']],
      [HTMLElement.prototype, ['showPopover', 'hidePopover', 'togglePopover', 'popover']],
      [Element.prototype, ['checkVisibility']],
      [Document.prototype, ['startViewTransition']],
    ];
    for (const [where, names] of lacks) {
      for (const name of names) Reflect.deleteProperty(where, name);
    }
  });
}
