/** A section whose code does not come: it says so in its own place, and comes when it can. */
import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { type LazyLoader, lazyLoader } from '@/lib/use-lazy-module';
import { renderApp } from '@/testing/render-app';
import { LazySection } from './lazy-section';

type Greeting = (props: { name: string }) => React.ReactNode;

const MISSING = 'The greeting could not be loaded';
const RELOAD = { name: 'Reload the page' };

let away = 0;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Code that comes after so many attempts that bring nothing. */
function codeAfter(attempts: number) {
  away = attempts;
  const load = vi.fn(async (): Promise<Greeting> => {
    away -= 1;
    if (away >= 0) throw new TypeError('Failed to fetch dynamically imported module');
    return ({ name }) => <p>Good morning, {name}</p>;
  });
  return { load, code: lazyLoader(load) };
}

async function open(code: LazyLoader<Greeting>): Promise<void> {
  await act(async () => {
    renderApp(
      <>
        <h1>The page</h1>
        <LazySection code={code} resting={<p>A moment…</p>} missing={MISSING}>
          {(Greeting) => <Greeting name="Asha" />}
        </LazySection>
      </>,
    );
  });
}

async function press(name: string): Promise<void> {
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name }));
  });
}

test('code that is known stands there at once, and is fetched once', async () => {
  const { load, code } = codeAfter(0);
  await open(code);
  expect(screen.getByText('Good morning, Asha')).toBeTruthy();
  renderApp(
    <LazySection code={code} resting={<p>A moment…</p>} missing={MISSING}>
      {(Greeting) => <Greeting name="Noor" />}
    </LazySection>,
  );
  expect(screen.getByText('Good morning, Noor')).toBeTruthy();
  expect(load).toHaveBeenCalledTimes(1);
});

test('code that does not come takes only its own place, and can be tried again', async () => {
  const { code } = codeAfter(1);
  await open(code);
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('The page');
  expect(screen.getByRole('alert').textContent).toContain(MISSING);
  expect(screen.queryByRole('button', RELOAD)).toBeNull();
  await press('Try again');
  expect(screen.getByText('Good morning, Asha')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('the section is loaded when the connection comes back', async () => {
  const { code } = codeAfter(1);
  await open(code);
  expect(screen.getByText(MISSING)).toBeTruthy();
  await act(async () => {
    window.dispatchEvent(new Event('online'));
  });
  expect(screen.getByText('Good morning, Asha')).toBeTruthy();
});

test('after a second failure a new document is offered, where there is a connection', async () => {
  const { load, code } = codeAfter(9);
  vi.stubGlobal('navigator', { onLine: false });
  await open(code);
  await press('Try again');
  expect(load).toHaveBeenCalledTimes(2);
  expect(screen.queryByRole('button', RELOAD)).toBeNull();
  vi.stubGlobal('navigator', { onLine: true });
  await act(async () => {
    window.dispatchEvent(new Event('online'));
  });
  expect(load).toHaveBeenCalledTimes(3);
  expect(screen.getByRole('button', RELOAD)).toBeTruthy();
});

test('the notice stays while it is tried again', async () => {
  let give: (piece: Greeting) => void = () => {};
  const load = vi
    .fn<() => Promise<Greeting>>(
      () =>
        new Promise((done) => {
          give = done;
        }),
    )
    .mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await open(lazyLoader(load));
  await press('Try again');
  expect(screen.getByText(MISSING)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Try again' }).getAttribute('aria-busy')).toBe('true');
  await act(async () => give(({ name }) => <p>At last, {name}</p>));
  expect(screen.getByText('At last, Asha')).toBeTruthy();
});
