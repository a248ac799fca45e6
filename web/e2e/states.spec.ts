/**
 * A remote read in each state, in a browser that really loses its network: loading, failed with a
 * retry that works, offline, back by itself, and empty. `src/app/remote-reads.test.tsx` has the
 * reads of every page.
 */
import { expectTrouble, RPC, standIn } from './support/answers';
import { expect, test } from './support/test';

test('free times that fail, are offline, come back by themselves, and are none', async ({
  page,
  complaints,
}) => {
  // What a page fetches when it is idle may fall into the time without a network.
  complaints.expect(/\/assets\/.*ERR_INTERNET_DISCONNECTED|ERR_INTERNET_DISCONNECTED.*\/assets\//);
  expectTrouble(complaints, RPC.listSlots);
  const main = page.getByRole('main');
  const refused = main.getByRole('alert');
  const retry = refused.getByRole('button', { name: 'Try again' });
  const banner = page.getByText('What you see may be old; what you type stays in this page.');
  const shown = page.getByText(/^All times are in IST/);
  const desk = await standIn(page, RPC.listSlots, 'wait');
  await page.goto('/service/meditation');
  await expect(page.getByText('Looking for free times…')).toBeAttached();
  desk.answer('refuse');
  await expect(retry).toBeVisible();

  desk.answer('cut');
  await page.context().setOffline(true);
  await retry.click();
  await expect(banner).toBeVisible();
  await expect(refused).toContainText("We'll reconnect");

  // When the network is back, no press is needed.
  desk.answer('go');
  await page.context().setOffline(false);
  await expect(shown).toBeVisible();
  await expect(refused).toBeHidden();
  await expect(banner).toBeHidden();

  // Where the network was never away, a press is needed.
  desk.answer('refuse');
  await page.reload();
  await expect(retry).toBeVisible();
  desk.answer('go');
  await retry.click();
  await expect(shown).toBeVisible();
  await expect(refused).toBeHidden();

  const days = [{ date: '2026-12-01', closed: true }];
  const zone = { timeZone: 'Asia/Kolkata', timeZoneLabel: 'IST' };
  desk.answer({ days, lastDate: '2026-12-01', ...zone });
  await page.reload();
  await page.getByRole('heading', { name: 'Free times' }).scrollIntoViewIfNeeded();
  await expect(main.getByText('No free times in these days')).toBeVisible();
});
