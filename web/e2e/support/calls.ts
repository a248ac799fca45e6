/**
 * Knows of a page whether its calls are over. A test that moves the page's clock waits for them, so
 * that no time passes on the page because an answer is slow on this machine.
 */
import type { Page } from '@playwright/test';

declare global {
  interface Window {
    openCalls?: number;
  }
}

/** From the next page on, calls of a path are counted until their answers are read whole. */
export async function countCalls(page: Page, path: string): Promise<void> {
  await page.addInitScript((counted) => {
    const send = window.fetch;
    window.openCalls = 0;
    window.fetch = async (...call) => {
      const [target] = call;
      const address = target instanceof Request ? target.url : String(target);
      if (!address.includes(counted)) return send(...call);
      window.openCalls = (window.openCalls ?? 0) + 1;
      try {
        const answer = await send(...call);
        return new Response(await answer.arrayBuffer(), answer);
      } finally {
        window.openCalls -= 1;
      }
    };
  }, path);
}

/** Waits until the page has made its calls and read their answers, whatever its clock says. */
export async function callsEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // Not a timer: those stand still with the page's clock.
    const turn = () =>
      new Promise<void>((go) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => go();
        port2.postMessage(0);
      });
    for (let quiet = 0; quiet < 20; quiet += 1) {
      await turn();
      if (window.openCalls) quiet = 0;
    }
  });
}
