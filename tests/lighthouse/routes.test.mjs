import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { closedBy, pathsOf, picked, plan, publicRoutes } from './routes.mjs';

const BUILT = { static: ['/', '/faq', '/guide', '/sign-in'], services: ['calm', 'sleep'] };
const SITE = {
  listed: ['/', '/faq'],
  closed: ['/sign-in'],
  built: BUILT,
  review: '/reviews/rvw_1',
};

test('the sitemap and the robots.txt are read', () => {
  const sitemap = '<url><loc>https://a.test/</loc></url><url><loc>https://a.test/faq</loc></url>';
  assert.deepEqual(pathsOf(sitemap), ['/', '/faq']);
  const robots = 'User-agent: *\nAllow: /\nDisallow: /receipt\nDisallow: /sign-in\n';
  assert.deepEqual(closedBy(robots), ['/receipt', '/sign-in']);
});

test('what is listed, one service, one review and what is open to all is measured', () => {
  const { routes } = plan(SITE);
  const listed = ['/', '/faq', '/services/calm', '/reviews/rvw_1'];
  assert.deepEqual(routes, [
    ...listed.map((path) => ({ path, unlisted: false })),
    { path: '/guide', unlisted: true },
  ]);
});

test('everything that is left out is said with its reason', () => {
  const { leftOut } = plan({ ...SITE, review: undefined });
  assert.deepEqual(
    leftOut.map(({ path }) => path),
    ['/sign-in', '/services/sleep', '/reviews/…'],
  );
  for (const { reason } of leftOut) assert.match(reason, /\w/);
});

test('a site without a sitemap, or one that closes what it lists, is a fault', () => {
  assert.throws(() => plan({ ...SITE, listed: [] }), /lists no page/);
  assert.throws(() => plan({ ...SITE, closed: ['/f'] }), /shown: \/faq/);
});

test('a wrong name in ROUTES is a fault and no shorter list', () => {
  const { routes } = plan(SITE);
  assert.deepEqual(picked(routes, []), routes);
  assert.deepEqual(picked(routes, ['/faq']), [{ path: '/faq', unlisted: false }]);
  assert.throws(() => picked(routes, ['/faq', '/fqa']), /\/fqa/);
});

/** A site that lists two pages, one of which is not there. */
async function brokenSite() {
  const loc = (path) => `<loc>https://a.test${path}</loc>`;
  const files = {
    '/sitemap.xml': loc('/') + loc('/gone'),
    '/robots.txt': 'Disallow: /sign-in',
    '/': '',
  };
  const server = createServer((request, response) => {
    if (request.url.endsWith('/ListReviews')) response.end('{"reviews":[]}');
    else if (request.url in files) response.end(files[request.url]);
    else response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

test('a listed page that does not open is a fault', async () => {
  const server = await brokenSite();
  try {
    const site = `http://127.0.0.1:${server.address().port}`;
    await assert.rejects(publicRoutes(site, BUILT), /\/gone answers 404/);
  } finally {
    server.close();
  }
});
