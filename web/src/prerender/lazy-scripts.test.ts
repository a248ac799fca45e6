import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { LAZY_SCRIPTS, takeScripts } from './lazy-scripts';

const TEMPLATE = `<head>
    <!--head-->
    <script type="module" crossorigin src="/assets/index-1.js"></script>
    <link rel="modulepreload" crossorigin href="/assets/core-2.js">
    <link rel="stylesheet" crossorigin href="/assets/index-3.css">
  </head>`;

type Told = () => void;

/** A browser that reports a paint when the returned function is called. */
function painting(types: string[]): Told {
  let told: Told = () => {
    throw new Error('Nobody listens to paints.');
  };
  class Observer {
    static supportedEntryTypes = types;
    constructor(listener: Told) {
      told = listener;
    }
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal('PerformanceObserver', Observer);
  return () => told();
}

function fetched(): string[] {
  const found = document.head.querySelectorAll<HTMLElement>('script[src], link[rel]');
  return [...found].map((it) => it.getAttribute('src') ?? it.getAttribute('href') ?? '');
}

function open(): void {
  document.body.innerHTML = '<div id="root" data-code="/assets/a.js /assets/b.js"></div>';
  new Function(LAZY_SCRIPTS)();
}

type HappyDom = { settings: { handleDisabledFileLoadingAsSuccess: boolean } };

beforeAll(() => {
  // Nothing is fetched here, and nothing has to be said about that.
  const { happyDOM } = window as unknown as { happyDOM: HappyDom };
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true;
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.head.innerHTML = '';
});

test('the template gives up its scripts and keeps its styles', () => {
  const { template, code } = takeScripts(TEMPLATE);
  expect(code).toEqual(['/assets/index-1.js', '/assets/core-2.js']);
  expect(template).not.toContain('.js');
  expect(template).toContain('<link rel="stylesheet" crossorigin href="/assets/index-3.css">');
  expect(() => takeScripts('<head></head>')).toThrow('runs no script');
});

test('scripts are fetched once something was painted, the first is run', () => {
  const paint = painting(['paint']);
  open();
  expect(fetched()).toEqual([]);
  paint();
  expect(fetched()).toEqual(['/assets/a.js', '/assets/b.js']);
  expect(document.head.querySelectorAll('script[type="module"]')).toHaveLength(1);
  expect(document.head.querySelectorAll('link[rel="modulepreload"]')).toHaveLength(1);
});

test.each([
  ['knows of no paints', 'resource', 0],
  ['tells of none, because nobody looks', 'paint', 3000],
])('a browser that %s fetches them when all else is there', (_who, type, after) => {
  vi.useFakeTimers();
  painting([type]);
  open();
  vi.advanceTimersByTime(10_000);
  expect(fetched()).toEqual([]);
  window.dispatchEvent(new Event('load'));
  vi.advanceTimersByTime(after);
  expect(fetched()).toEqual(['/assets/a.js', '/assets/b.js']);
});

test('they are fetched once', () => {
  vi.useFakeTimers();
  const paint = painting(['paint']);
  open();
  paint();
  window.dispatchEvent(new Event('load'));
  vi.advanceTimersByTime(10_000);
  expect(fetched()).toEqual(['/assets/a.js', '/assets/b.js']);
});
