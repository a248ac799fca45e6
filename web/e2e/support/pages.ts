/** The site's pages as the app lists them, so that a new page is visited without being named here. */
import { PAGES } from '../../src/app/pages';
import { linksAt } from '../../src/app/site-links';
import { fixedPaths } from '../../src/prerender/site';

export const HEADER = [...linksAt('headerLeft'), ...linksAt('headerRight')];
export const HEADER_LEFT_COUNT = linksAt('headerLeft').length;
/** The first list of the footer. */
export const QUICK_LINKS = linksAt('footerQuick');

/** The path of a page by its name, so that a page that is gone is noticed. */
export function pathOf(name: string): string {
  const entry = PAGES.find(({ path }) => path === `/${name}`);
  if (!entry) throw new Error(`The app has no page ${name}.`);
  return entry.path;
}

export const LEGAL_PATHS = PAGES.filter(({ legal }) => legal).map(({ path }) => path);

/** The booking flow without a service leads elsewhere. */
export const BOOKING = pathOf('booking-flow');

/** Every page that stays at its path when it is opened. */
export const PATHS = fixedPaths().filter((path) => path !== BOOKING);
