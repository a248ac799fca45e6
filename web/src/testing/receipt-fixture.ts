/** Receipts as the server would send them, for tests. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Receipt, ReceiptSchema, TaxMode } from '@/gen/payments/v1/payments_service_pb';
import { BOOKING_ID } from './booking-fixture';

type Changes = MessageInitShape<typeof ReceiptSchema>;

export function rupees(minorUnits: bigint) {
  return { minorUnits, currencyCode: 'INR' };
}

/** ₹500 for a General Consultation, from a practice without a registration for GST. */
export function receiptFixture(changes: Changes = {}): Receipt {
  const init: Changes = {
    receiptId: `rct_${'b2'.repeat(16)}`,
    serial: 'SUK/26-27/00001',
    issuedAt: timestampFromDate(new Date('2026-11-21T04:00:00Z')),
    bookingId: BOOKING_ID,
    paymentId: 'pay_Q1w2e3r4t5y6u7',
    amount: rupees(500_00n),
    taxMode: TaxMode.NONE,
    issuedBy: 'Sukoon',
    issuerAddress: 'Arera Colony, Bhopal, Madhya Pradesh 462016',
    refunded: rupees(0n),
  };
  return create(ReceiptSchema, { ...init, ...changes } as typeof init);
}

/** The same from a practice that states 18% of GST. */
export function gstFixture(changes: Changes = {}): Receipt {
  return receiptFixture({
    taxMode: TaxMode.GST,
    gstPercent: 18,
    taxable: rupees(423_73n),
    centralTax: rupees(38_14n),
    stateTax: rupees(38_13n),
    gstin: '23ABCDE1234F1Z5',
    serviceCode: '999312',
    ...changes,
  } as Changes);
}
