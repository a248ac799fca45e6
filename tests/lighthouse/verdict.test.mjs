import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broken, CATEGORIES, figuresOf, median, reasons, summarize } from './verdict.mjs';

const URL = 'http://practice.test/';

/** A report of a page with nothing wrong, and with what a test makes wrong. */
function report({ scores = {}, audits = {}, refs = {} } = {}) {
  const measured = {
    'largest-contentful-paint': { id: 'largest-contentful-paint', numericValue: 1500 },
    'cumulative-layout-shift': { id: 'cumulative-layout-shift', numericValue: 0 },
    'total-blocking-time': { id: 'total-blocking-time', numericValue: 100 },
    'total-byte-weight': { id: 'total-byte-weight', numericValue: 204_800 },
  };
  const categories = CATEGORIES.map((id) => {
    const score = id in scores ? scores[id] : 1;
    return [id, { score, auditRefs: refs[id] ?? [] }];
  });
  return { categories: Object.fromEntries(categories), audits: { ...measured, ...audits } };
}

const row = (...reports) => summarize(reports.map((one) => figuresOf(URL, one, CATEGORIES)));

test('the median of an odd and of an even count', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([10, 2, 4, 1]), 3);
});

test('a page with nothing wrong breaks no promise and needs no reason', () => {
  const clean = row(report());
  assert.deepEqual([clean.performance, clean.seo, clean.lcp, clean.kb], [100, 100, 1500, 200]);
  assert.deepEqual(broken(clean), []);
  assert.deepEqual(reasons(clean), []);
});

test('a page whose largest paint is not known was not measured', () => {
  const audits = {
    'largest-contentful-paint': { id: 'largest-contentful-paint', errorMessage: 'NO_LCP' },
  };
  assert.throws(() => figuresOf(URL, report({ audits }), CATEGORIES), /no lcp\. .*NO_LCP/);
});

test('a score that is not known is not 0 and not a pass', () => {
  for (const id of CATEGORIES) {
    const unscored = report({ scores: { [id]: null } });
    assert.throws(() => figuresOf(URL, unscored, CATEGORIES), new RegExp(`no ${id}`));
  }
});

test('a page that was not loaded says why', () => {
  const unloaded = { ...report(), runtimeError: { message: 'It answered 500.' } };
  assert.throws(() => figuresOf(URL, unloaded, CATEGORIES), /It answered 500/);
});

test('a largest paint after 1.8 seconds breaks a promise', () => {
  const audits = { 'largest-contentful-paint': { numericValue: 1801 } };
  assert.deepEqual(broken(row(report({ audits }))), ['LCP 1.80 s']);
});

test('each category gives the reason of its own worst run', () => {
  const unnamed = report({
    scores: { accessibility: 0.9 },
    audits: { label: { title: 'Fields have no names', score: 0 } },
    refs: { accessibility: [{ id: 'label', weight: 7 }] },
  });
  const slow = report({
    scores: { performance: 0.5 },
    audits: { 'speed-index': { title: 'Speed Index', displayValue: '9 s', score: 0.1 } },
    refs: { performance: [{ id: 'speed-index', weight: 10 }] },
  });
  const both = row(unnamed, unnamed, slow);
  assert.deepEqual(broken(both), ['accessibility 90: Fields have no names']);
  assert.deepEqual(both.found.performance, ['Speed Index: 9 s']);
});

test('a slow page is explained by its metrics and by what took the time, and does not fail', () => {
  const slow = row(
    report({
      scores: { performance: 0.94 },
      audits: {
        'total-blocking-time': {
          title: 'Total Blocking Time',
          displayValue: '400 ms',
          numericValue: 400,
          score: 0.6,
        },
        'bootup-time': { title: 'JavaScript', score: 1, metricSavings: { TBT: 4 } },
        'mainthread-work-breakdown': {
          title: 'Minimize main-thread work',
          displayValue: '2.3 s',
          score: 0.5,
          metricSavings: { TBT: 250.4 },
        },
        'render-blocking': {
          title: 'Styles block',
          score: 0,
          metricSavings: { LCP: 300, FCP: 90 },
        },
      },
      refs: {
        performance: [
          { id: 'total-blocking-time', weight: 30 },
          { id: 'bootup-time', weight: 0 },
          { id: 'mainthread-work-breakdown', weight: 0 },
          { id: 'render-blocking', weight: 0 },
        ],
      },
    }),
  );
  assert.deepEqual(broken(slow), []);
  assert.deepEqual(reasons(slow), [
    'Total Blocking Time: 400 ms',
    'Styles block (costs 300 ms)',
    'Minimize main-thread work: 2.3 s (costs 250 ms)',
  ]);
});
