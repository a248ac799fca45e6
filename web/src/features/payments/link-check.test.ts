import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  CheckPaymentResponseSchema,
  CollectionState,
  PaymentStatus,
} from '@/gen/payments/v1/payments_service_pb';
import { outcomeOf } from './hooks/use-link-check';

test.each([
  [PaymentStatus.PAID, CollectionState.PAID, 'paid'],
  [PaymentStatus.CANCELLED, CollectionState.PENDING, 'ended'],
  [PaymentStatus.EXPIRED, CollectionState.PENDING, 'ended'],
  [PaymentStatus.OTHER, CollectionState.PENDING, 'unpaid'],
  [PaymentStatus.OTHER, CollectionState.FAILED, 'unpaid'],
  [PaymentStatus.OTHER, CollectionState.REFUNDING, 'returned'],
  [PaymentStatus.OTHER, CollectionState.REFUNDED, 'returned'],
  [PaymentStatus.OTHER, CollectionState.MISMATCHED, 'returned'],
  // An older server says nothing of the status.
  [PaymentStatus.UNSPECIFIED, CollectionState.PAID, 'paid'],
])('payment status %s with state %s is "%s"', (paymentStatus, state, outcome) => {
  expect(outcomeOf(create(CheckPaymentResponseSchema, { paymentStatus, state }))).toBe(outcome);
});
