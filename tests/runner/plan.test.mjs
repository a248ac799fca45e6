/** What the runner makes of cargo's messages, of earlier times and of failures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announced, failuresOf, order, programsOf, ranOf, report } from './plan.mjs';

const artifact = (folder, name, isTest, executable) =>
  JSON.stringify({
    reason: 'compiler-artifact',
    manifest_path: `/w/${folder}/Cargo.toml`,
    target: { name },
    profile: { test: isTest },
    executable,
  });

test('programs are the executables of tests, with their folder', () => {
  const messages = [
    artifact('services/booking', 'it', true, '/t/it-1'),
    artifact('services/booking', 'booking', false, '/t/booking'),
    artifact('services/booking', 'booking', true, null),
    '{"reason":"build-finished","success":true}',
    'running 3 tests',
  ].join('\n');
  const wanted = [{ name: 'booking it', path: '/t/it-1', folder: '/w/services/booking' }];
  assert.deepEqual(programsOf(messages), wanted);
});

test('the longest run first, by the last times or else by what is known', () => {
  const named = (...names) => names.map((name) => ({ name }));
  const names = (programs) => programs.map(({ name }) => name);
  const programs = named('tidy house', 'payments it', 'booking it');
  assert.deepEqual(names(order(programs, {}))[0], 'payments it');
  const times = { 'tidy house': 2, 'payments it': 90, 'booking it': 100 };
  assert.deepEqual(names(order(programs, times)), ['booking it', 'payments it', 'tidy house']);
});

test('a run says what it will do, and how many tests ran', () => {
  const programs = [{ name: 'a' }, { name: 'b' }];
  assert.equal(
    announced(programs, { a: 100, b: 30 }, 2),
    '2 test programs, 2 at once; about 2 min\n',
  );
  assert.equal(announced(programs, { a: 100 }, 2), '2 test programs, 2 at once\n');
  const said = 'test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out';
  assert.equal(ranOf(`running 3 tests\n${said}\n`), 3);
  assert.equal(ranOf(''), 0);
});

test('a failure is in the last line', () => {
  const done = [
    { name: 'tidy house', code: 0, seconds: 2 },
    { name: 'booking it', code: 101, seconds: 3, output: 'test a ... FAILED\n' },
  ];
  assert.match(report(done), /1 of 2 test programs FAILED: booking it\n$/);
  assert.match(report(done), /· booking it failed:\ntest a \.\.\. FAILED\n/);
  assert.match(report(done.slice(0, 1)), /All 1 test programs passed\.\n$/);
});

test('what failed is told without its backtrace and without what passed', () => {
  const output = [
    'test a ... ok',
    'failures:',
    '---- b stdout ----',
    'Error: waited in vain',
    '   0: core::one',
    '             at ./src/one.rs:1:2',
    '',
    'test result: FAILED. 1 passed; 1 failed',
  ].join('\n');
  const wanted = [
    'failures:',
    '---- b stdout ----',
    'Error: waited in vain',
    'test result: FAILED. 1 passed; 1 failed',
  ].join('\n');
  assert.equal(failuresOf(output), wanted);
});
