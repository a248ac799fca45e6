/** Says at the very end why each test failed, for readers who see the last lines of a run only. */
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, Suite, TestCase } from '@playwright/test/reporter';

const LINES_MAX = 12;

function firstLines(test: TestCase): string {
  const errors = test.results.at(-1)?.errors ?? [];
  const shown = errors.map(({ message }) => (message ?? '').split('\n').slice(0, LINES_MAX));
  return stripVTControlCharacters(shown.flat().join('\n'));
}

export default class FailuresLast implements Reporter {
  private suite?: Suite;

  onBegin(_config: unknown, suite: Suite): void {
    this.suite = suite;
  }

  onEnd(): void {
    const failed = this.suite?.allTests().filter((test) => test.outcome() === 'unexpected') ?? [];
    for (const test of failed) process.stderr.write(`FAILED ${test.title}\n${firstLines(test)}\n`);
  }

  printsToStdio(): boolean {
    return false;
  }
}
