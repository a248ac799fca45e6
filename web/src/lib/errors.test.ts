import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import { ErrorDetailSchema } from '@/gen/common/v1/error_detail_pb';
import { CODE } from './codes';
import { readDetail } from './error-detail';
import { describeError } from './errors';

function refusal(code: Code, message: string, reason = '', field = '', referenceId = 'ref_1') {
  const value = create(ErrorDetailSchema, { reason, field, referenceId });
  return new ConnectError(message, code, undefined, [{ desc: ErrorDetailSchema, value }]);
}

test('a known reason has words of its own', () => {
  const problem = describeError(refusal(Code.FailedPrecondition, 'slot taken', 'SLOT_TAKEN'));
  expect(problem.reason).toBe('SLOT_TAKEN');
  expect(problem.title).toBe('That time was just taken');
  expect(problem.lost).toBe(false);
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
    expect(problem.lost).toBe(true);
  }
});

test('a browser that is offline says so, and that nothing needs to be done', () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const problem = describeError(new ConnectError('Failed to fetch', Code.Unknown));
  expect(problem.title).toBe('You are offline');
  expect(problem.retryable).toBe(true);
  const refused = describeError(refusal(Code.NotFound, 'no', 'SERVICE_NOT_FOUND'));
  expect(refused.title).toBe('Service Not Found');
});

test('a detail is read from its bytes as the contract writes it', () => {
  const details = [
    { reason: 'SLOT_TAKEN', field: 'starts_at', referenceId: 'ref_1' },
    { reason: '', field: 'naïve ✓', referenceId: '' },
    { reason: 'R'.repeat(300), field: '', referenceId: 'ref_2' },
  ];
  for (const detail of details) {
    const value = create(ErrorDetailSchema, detail);
    expect(readDetail(toBinary(ErrorDetailSchema, value))).toEqual(detail);
    const error = new ConnectError('no', Code.Aborted);
    error.details = [
      { type: ErrorDetailSchema.typeName, value: toBinary(ErrorDetailSchema, value) },
    ];
    expect(describeError(error).reason).toBe(detail.reason);
  }
  expect(readDetail(new Uint8Array([0xff, 0xff, 0xff, 0xff, 0xff]))).toMatchObject({ reason: '' });
});

test('the codes have the numbers that Connect gives them', () => {
  for (const [name, number] of Object.entries(CODE)) expect(Code[number]).toBe(name);
});
