/** What the form asks for. The server checks the same and has the last word. */
import type { Payer } from '@/gen/payments/v1/payments_service_pb';
import type { Problem } from '@/lib/errors';
import { readNumber } from '@/lib/typed';
import type { FieldErrors } from '@/lib/use-fields';

export type PayerValues = { name: string; gstin: string; address: string; stateCode: string };

const NAME_MAX = 120;
const ADDRESS_MAX = 300;
/** State, PAN, entity, a letter, check character. */
const GSTIN = /^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]{3}$/;

export const NOT_A_GSTIN = 'This is not a GSTIN. Please compare it with your certificate.';
const OTHER_STATE = 'The GSTIN belongs to another state';

export function valuesOf(payer: Payer | undefined): PayerValues {
  const { name = '', gstin = '', address = '', stateCode = '' } = payer ?? {};
  return { name, gstin, address, stateCode };
}

/** As receipts write it: capitals without blanks. */
export function plainGstin(typed: string): string {
  return readNumber(typed).toUpperCase();
}

function lineError(text: string, what: string, max: number): string | undefined {
  const length = [...text.trim()].length;
  if (length === 0) return `${what} is required`;
  return length > max ? `At most ${max} characters, please` : undefined;
}

function stateError({ gstin, stateCode }: PayerValues): string | undefined {
  if (!stateCode) return 'State is required';
  const ofGstin = plainGstin(gstin).slice(0, 2);
  return ofGstin && ofGstin !== stateCode ? OTHER_STATE : undefined;
}

export function validatePayer(values: PayerValues): FieldErrors<PayerValues> {
  const gstin = plainGstin(values.gstin);
  const found: FieldErrors<PayerValues> = {};
  const name = lineError(values.name, 'Name', NAME_MAX);
  const address = lineError(values.address, 'Address', ADDRESS_MAX);
  if (name) found.name = name;
  if (gstin && !GSTIN.test(gstin)) found.gstin = NOT_A_GSTIN;
  if (address) found.address = address;
  const state = stateError(values);
  if (state && !found.gstin) found.stateCode = state;
  return found;
}

/** The field that the server refused, in words; none where it is about something else. */
export function refusedFields({ reason, field }: Problem): FieldErrors<PayerValues> | undefined {
  if (reason !== 'INVALID_PAYER') return undefined;
  switch (field) {
    case 'payer.name':
      return { name: 'This name cannot stand on an invoice' };
    case 'payer.gstin':
      return { gstin: NOT_A_GSTIN };
    case 'payer.address':
      return { address: 'This address cannot stand on an invoice' };
    default:
      return { stateCode: OTHER_STATE };
  }
}
