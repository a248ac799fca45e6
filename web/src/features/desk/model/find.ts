/** What is typed into Find: a reference, or a part of a name, a phone number or an address. */
import type { StaffBooking } from '@/gen/booking/v1/booking_staff_service_pb';
import { clientName } from './staff-booking';

const REFERENCE = /^(?:bkg_[0-9a-f]{24})?([0-9a-f]{8})$/i;
const LETTERS_MIN = 2;
const DIGITS_MIN = 4;

/** The eight digits of a reference or of a whole id; nothing for what is neither. */
export function referenceIn(typed: string): string | undefined {
  return REFERENCE.exec(typed.trim())?.[1];
}

/** Whether there is enough to look for. */
export function isEnough(typed: string): boolean {
  const digits = typed.replace(/\D/g, '');
  const letters = typed.trim().length - digits.length;
  return letters >= LETTERS_MIN || digits.length >= DIGITS_MIN;
}

/** A whole number without the 0, or 00, that phones show before it: numbers are kept as +91…. */
function withoutTrunk(digits: string): string {
  return digits.replace(/^0{1,2}(?=[1-9]\d{7})/, '');
}

function isFound({ booking }: StaffBooking, typed: string): boolean {
  if (!booking) return false;
  const words = typed.trim().toLowerCase();
  const digits = typed.replace(/\D/g, '');
  const { phone = '', email = '' } = booking.contact ?? {};
  const isNumber = digits.length >= DIGITS_MIN && /^[\d\s+()-]+$/.test(typed);
  if (isNumber) return phone.replace(/\D/g, '').includes(withoutTrunk(digits));
  return [clientName(booking), email].some((text) => text.toLowerCase().includes(words));
}

function firstStart({ booking }: StaffBooking): bigint {
  return booking?.sessions[0]?.startsAt?.seconds ?? 0n;
}

/** Those of a list whose client is meant, the latest session first. */
export function foundIn(bookings: readonly StaffBooking[], typed: string): StaffBooking[] {
  const found = bookings.filter((staff) => isFound(staff, typed));
  return found.sort((one, other) => Number(firstStart(other) - firstStart(one)));
}
