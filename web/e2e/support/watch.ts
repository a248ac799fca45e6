/** A page that complains on its console, or in its network, fails the test that opened it. */
import type { BrowserContext, Request, Response } from '@playwright/test';

/** A complaint that a test provokes on purpose, as narrow as it can be said. */
export type Expected = RegExp;

export type Complaints = {
  /** Watches another browser as well. */
  alsoOf: (context: BrowserContext) => void;
  /** What was complained about and not expected. */
  unexpected: () => string[];
  /** From now on, and until the end of the test, this is no surprise. */
  expect: (...patterns: Expected[]) => void;
};

/** Leaving a page ends its calls and streams; that is no failure. */
function wasLeft(request: Request): boolean {
  return request.failure()?.errorText === 'net::ERR_ABORTED';
}

function sayOf(response: Response): string {
  const { pathname } = new URL(response.url());
  return `${response.request().method()} ${pathname} answered ${response.status()}`;
}

/** Watches all pages of a context. */
function listen(context: BrowserContext, baseURL: string, hear: (text: string) => void): void {
  context.on('console', (message) => {
    const kind = message.type();
    if (kind !== 'error' && kind !== 'warning') return;
    const { url } = message.location();
    hear(`console ${kind}: ${message.text()} (${url})`);
  });
  context.on('weberror', (error) => hear(`page error: ${error.error().message}`));
  context.on('requestfailed', (request) => {
    if (wasLeft(request)) return;
    hear(`request failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  context.on('response', (response) => {
    if (response.status() < 400 || !response.url().startsWith(baseURL)) return;
    hear(sayOf(response));
  });
}

/** Collects what the pages of a test complain about. */
export function watch(context: BrowserContext, baseURL: string): Complaints {
  const heard: string[] = [];
  const patterns: Expected[] = [];
  const hear = (text: string) => void heard.push(text);
  listen(context, baseURL, hear);
  return {
    alsoOf: (other) => listen(other, baseURL, hear),
    expect: (...more) => void patterns.push(...more),
    unexpected: () => heard.filter((text) => !patterns.some((pattern) => pattern.test(text))),
  };
}

/** The browser's own line and ours for an answer that the test wants to be a refusal. */
export function refusal(path: string): RegExp {
  const name = path.replace(/[/.]/g, '\\$&');
  return new RegExp(`${name} answered [45]\\d\\d$|status of [45]\\d\\d .*${name}[^/]*\\)$`);
}
