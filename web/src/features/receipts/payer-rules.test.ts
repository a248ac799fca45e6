import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { PayerSchema } from '@/gen/payments/v1/payments_service_pb';
import type { Problem } from '@/lib/errors';
import { NOT_A_GSTIN, refusedFields, validatePayer, valuesOf } from './payer-rules';
import { stateName } from './states';

const GOOD = {
  name: 'Asha Rao Traders',
  gstin: ' 27aapfu0939f1zv',
  address: '12 MG Road, Pune',
  stateCode: '27',
};

test('name, address and state are needed, a GSTIN is not', () => {
  expect(validatePayer(GOOD)).toEqual({});
  expect(validatePayer({ ...GOOD, gstin: '', stateCode: '23' })).toEqual({});
  expect(validatePayer(valuesOf(undefined))).toEqual({
    name: 'Name is required',
    address: 'Address is required',
    stateCode: 'State is required',
  });
  expect(validatePayer({ ...GOOD, name: 'n'.repeat(121) }).name).toMatch(/120/);
});

test('a GSTIN has its form, and its state is the one of the address', () => {
  expect(validatePayer({ ...GOOD, gstin: '27AAPFU0939F1Z' })).toEqual({ gstin: NOT_A_GSTIN });
  for (const gstin of ['\u202a27-AAPFU-0939F\u20111ZV\u202c', '२७AAPFU०९३९F१ZV']) {
    expect(validatePayer({ ...GOOD, gstin })).toEqual({});
  }
  expect(Object.keys(validatePayer({ ...GOOD, stateCode: '23' }))).toEqual(['stateCode']);
});

test('what the server refuses is said at its field', () => {
  const problem = { reason: 'INVALID_PAYER', field: 'payer.gstin' } as Problem;
  expect(refusedFields(problem)).toEqual({ gstin: NOT_A_GSTIN });
  expect(refusedFields({ ...problem, reason: 'PAYER_FIXED' })).toBeUndefined();
});

test('what was given is there again', () => {
  expect(valuesOf(create(PayerSchema, GOOD))).toEqual(GOOD);
  expect(stateName('23')).toBe('Madhya Pradesh');
  expect(stateName('28')).toBe('28');
});
