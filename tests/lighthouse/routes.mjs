/** Which pages are measured: what the site itself lists, and nothing that is written here twice. */
import { readFile } from 'node:fs/promises';
import { newestReview } from '../../web/tools/reviews.mjs';

const ROUTES = new URL('../../web/dist/routes.json', import.meta.url);

async function textOf(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.text();
}

/** The paths that search engines are shown. */
export function pathsOf(sitemap) {
  return [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc]) => new URL(loc).pathname);
}

/** Paths that no robot may open: they are for one person, or for whoever has a link. */
export function closedBy(robots) {
  return [...robots.matchAll(/^Disallow: (\S+)$/gm)].map(([, path]) => path);
}

const isClosed = (path, closed) => closed.some((start) => path.startsWith(start));

/**
 * What is measured and what is left out, of a site that lists `listed`, closes `closed` to robots
 * and was built with `built`: the sitemap, one service by its other path, one review, and what is
 * open to all though no search engine keeps it. Those are `unlisted`: their SEO score doesn't count.
 */
export function plan({ listed, closed, built, review }) {
  if (listed.length === 0) throw new Error('The sitemap lists no page');
  const [otherPath, ...otherPaths] = built.services.map((id) => `/services/${id}`);
  const known = [...listed, otherPath, review].filter(Boolean);
  const contradicted = known.filter((path) => isClosed(path, closed));
  if (contradicted.length > 0) {
    throw new Error(`robots.txt closes what search engines are shown: ${contradicted.join(', ')}`);
  }
  const left = built.static.filter((path) => isClosed(path, closed));
  const routes = [...new Set([...known, ...built.static])]
    .filter((path) => !left.includes(path))
    .map((path) => ({ path, unlisted: !known.includes(path) }));
  const leftOut = left.map((path) => ({ path, reason: 'robots.txt closes it' }));
  for (const path of otherPaths) {
    leftOut.push({ path, reason: `the page of its /service/…, drawn as ${otherPath} is` });
  }
  if (!review) leftOut.push({ path: '/reviews/…', reason: 'nobody has written a review here' });
  return { routes, leftOut };
}

/** The routes of `all` that were asked for, or all where none was. */
export function picked(all, only) {
  const unknown = only.filter((wanted) => !all.some(({ path }) => path === wanted));
  if (unknown.length > 0)
    throw new Error(`ROUTES names what is not measured: ${unknown.join(' ')}`);
  return only.length === 0 ? all : all.filter(({ path }) => only.includes(path));
}

/** Every public route has to open by itself: one that does not is a fault, and nothing to skip. */
async function expectToOpen(site, paths) {
  const shut = [];
  for (const path of paths) {
    const { status } = await fetch(site + path, { redirect: 'manual' });
    if (status !== 200) shut.push(`${path} answers ${status}`);
  }
  if (shut.length > 0) throw new Error(`Public routes do not open: ${shut.join(', ')}`);
}

/** What the site that lies there was built with. */
export async function builtRoutes() {
  return JSON.parse(await readFile(ROUTES, 'utf8'));
}

/** What is measured of the practice at `site`, and what is left out on purpose. */
export async function publicRoutes(site, built) {
  const planned = plan({
    listed: pathsOf(await textOf(`${site}/sitemap.xml`)),
    closed: closedBy(await textOf(`${site}/robots.txt`)),
    built,
    review: await newestReview(site),
  });
  await expectToOpen(
    site,
    planned.routes.map(({ path }) => path),
  );
  return planned;
}
