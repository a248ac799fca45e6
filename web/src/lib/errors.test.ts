import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';
import { describeError } from './errors';

function refusal(code: Code, message: string, reason = '', field = '', referenceId = 'ref_1') {
  const value = create(ErrorDetailSchema, { reason, field, referenceId });
  return new ConnectError(message, code, undefined, [{ desc: ErrorDetailSchema, value }]);
}

test('a known reason has words of its own', () => {
  const problem = describeError(refusal(Code.FailedPrecondition, 'slot taken', 'SLOT_TAKEN'));
  expect(problem.reason).toBe('SLOT_TAKEN');
  expect(problem.title).toBe('That time was just taken');
  expect(problem.referenceId).toBe('ref_1');
});

test('what a service says about an argument is passed on with its field', () => {
  const problem = describeError(
    refusal(Code.InvalidArgument, 'Please give a date like 2026-11-24.', 'INVALID_DATE', 'date'),
  );
  expect(problem.message).toBe('Please give a date like 2026-11-24.');
  expect(problem.field).toBe('date');
  expect(problem.retryable).toBe(false);
});

test('transport text is never shown', () => {
  for (const error of [
    new ConnectError('Failed to fetch', Code.Unknown),
    new ConnectError('HTTP 502 <html>', Code.Internal),
    new TypeError('Load failed'),
  ]) {
    const problem = describeError(error);
    expect(problem.title).toBe('This part is not available right now');
    expect(`${problem.title} ${problem.message}`).not.toMatch(/fetch|HTTP|Load/);
    expect(problem.retryable).toBe(true);
  }
});
