/** What Lighthouse's reports of a page say together, and which promises the page breaks. */

export const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
export const COLUMNS = [...CATEGORIES, 'lcp', 'cls', 'tbt', 'kb'];

const FULL = 100;
const LCP_MS_MAX = 1800;
const PERFORMANCE_MIN = 95;
/** How many of the metrics that cost points, and how many causes, explain a slow page. */
const METRICS_MAX = 2;
const CAUSES_MAX = 3;
/** What costs less is not worth a line. */
const LOST_MS_MIN = 10;

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const said = ({ title, displayValue }) => [title, displayValue].filter(Boolean).join(': ');

/** What of a category cost it points, the dearest first. */
function shortcomings({ categories, audits }, category) {
  return categories[category].auditRefs
    .filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 1)
    .map(({ id, weight }) => ({ audit: audits[id], lost: weight * (1 - audits[id].score) }))
    .sort((a, b) => b.lost - a.lost)
    .map(({ audit }) => said(audit));
}

/** How many milliseconds of a metric an audit's finding costs. */
function lostMs({ metricSavings = {} }) {
  const { FCP = 0, LCP = 0, TBT = 0 } = metricSavings;
  return Math.max(FCP, LCP, TBT);
}

/** Why a page is as slow as it is: which metrics cost points, then what took the time. */
function slowness(report) {
  const causes = report.categories.performance.auditRefs
    .map(({ id }) => report.audits[id])
    .filter((audit) => lostMs(audit) >= LOST_MS_MIN)
    .sort((a, b) => lostMs(b) - lostMs(a))
    .map((audit) => `${said(audit)} (costs ${Math.round(lostMs(audit))} ms)`);
  const metrics = shortcomings(report, 'performance').slice(0, METRICS_MAX);
  return [...metrics, ...causes.slice(0, CAUSES_MAX)];
}

/** The figures of one opening. One that is missing is no figure, and may not pass for a good one. */
export function figuresOf(url, report, categories) {
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
  const { audits } = report;
  const scores = categories.map((id) => [id, (report.categories[id]?.score ?? Number.NaN) * FULL]);
  const figures = {
    ...Object.fromEntries(scores.map(([id, score]) => [id, Math.round(score)])),
    lcp: audits['largest-contentful-paint']?.numericValue,
    cls: audits['cumulative-layout-shift']?.numericValue,
    tbt: audits['total-blocking-time']?.numericValue,
    kb: audits['total-byte-weight']?.numericValue / 1024,
  };
  const missing = Object.keys(figures).filter((name) => !Number.isFinite(figures[name]));
  if (missing.length > 0) {
    const failed = Object.values(audits).filter(({ errorMessage }) => errorMessage);
    const why = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('; ');
    throw new Error(`${url} was not measured: no ${missing.join(', ')}. ${why}`);
  }
  const found = categories.map((id) => [
    id,
    id === 'performance' ? slowness(report) : shortcomings(report, id),
  ]);
  return { ...figures, found: Object.fromEntries(found) };
}

/** The medians of all openings; what was found is of the worst one, for each category its own. */
export function summarize(measured) {
  const columns = COLUMNS.filter((column) => column in measured[0]);
  const medians = columns.map((column) => [column, median(measured.map((one) => one[column]))]);
  const found = Object.keys(measured[0].found).map((id) => {
    const worst = measured.reduce((a, b) => (b[id] < a[id] ? b : a));
    return [id, worst.found[id]];
  });
  return { ...Object.fromEntries(medians), found: Object.fromEntries(found) };
}

/** Which promises a route breaks, in words. */
export function broken(row) {
  const below = CATEGORIES.filter((id) => id !== 'performance' && row[id] < FULL).map(
    (id) => `${id} ${row[id]}: ${row.found[id].join('; ')}`,
  );
  const slow = row.lcp > LCP_MS_MAX ? [`LCP ${(row.lcp / 1000).toFixed(2)} s`] : [];
  return [...below, ...slow];
}

/** Why a route is slower than we want. It is said and does not fail. */
export function reasons(row) {
  return row.performance < PERFORMANCE_MIN ? row.found.performance : [];
}
