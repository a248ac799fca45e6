/** What goes back of a cancelled session, in words: the server decides it and states every step. */
import type { Booking, RefundStep, Session } from '@/gen/booking/v1/booking_service_pb';
import type { CancellationPolicy, PracticeLate } from '@/gen/common/v1/cancellation_pb';
import { formatPrice } from './money';
import { formatDateTime, toDate, type Zone } from './time';

const HOUR_MS = 3_600_000;

type Policy = CancellationPolicy | undefined;

/** Until how many hours before its start a session can be cancelled for all of its price. */
export function noticeHours(policy: Policy): number {
  return policy?.tiers[0]?.untilHours ?? 0;
}

/** Until how many hours before its start cancelling a session gives anything back. */
export function refundHours(policy: Policy): number {
  return policy?.tiers.findLast(({ refundPercent }) => refundPercent > 0)?.untilHours ?? 0;
}

/** Whether nothing goes back any more of a session that is paid for now. */
export function isLate(startsAt: Date, policy: Policy, now: number): boolean {
  return now > startsAt.getTime() - refundHours(policy) * HOUR_MS;
}

/** Whether there is more to say than "all of it until then": a further tier, grace, or what we give. */
export function hasSteps(policy: Policy): boolean {
  const tiers = policy?.tiers ?? [];
  if (policy?.grace) return true;
  return tiers.some(({ refundPercent, practiceLate }) => {
    return practiceLate !== undefined || (refundPercent > 0 && refundPercent < 100);
  });
}

function givenWords(late: PracticeLate | undefined): string {
  if (!late) return '';
  const given = late.freeSession ? 'a free session' : `${late.sharePercent}% of the price`;
  return ` (if we cancel then: all of it, and ${given})`;
}

function oftenWords(times: number): string {
  if (times === 1) return 'Once';
  return times === 2 ? 'Twice' : `${times} times`;
}

/** "Once in 6 months you can cancel late and still get 100% back"; empty for never. */
export function graceLine(policy: Policy): string {
  if (!policy?.grace) return '';
  const { times, months, refundPercent } = policy.grace;
  const span = months === 1 ? 'a month' : `${months} months`;
  return `${oftenWords(times)} in ${span} you can cancel late and still get ${refundPercent}% back`;
}

/** The policy of today, a line for each tier, and for what can be cancelled late. */
export function tierLines(policy: Policy): string[] {
  const grace = graceLine(policy);
  const tiers = (policy?.tiers ?? []).map(({ untilHours, refundPercent, practiceLate }) => {
    const given = givenWords(practiceLate);
    if (refundPercent === 0) return `Later nothing comes back${given}`;
    const share = refundPercent === 100 ? 'All of the price' : `${refundPercent}% of it`;
    return `${share} until ${untilHours} hours before it starts${given}`;
  });
  return grace ? [...tiers, grace] : tiers;
}

/** The steps of a session that give something back and are not over, soonest first. */
export function openSteps({ refundSteps }: Session, now: number): RefundStep[] {
  return refundSteps.filter(({ untilAt, refund }) => {
    return untilAt && refund && refund.minorUnits > 0n && toDate(untilAt).getTime() >= now;
  });
}

/** The schedule of a session: "₹1,500 until Thursday …", then what is left. */
export function stepLines({ refundSteps }: Session, zone: Zone): string[] {
  return refundSteps.map(({ untilAt, refund, practiceLate }) => {
    const given = givenWords(practiceLate);
    if (!untilAt || !refund?.minorUnits) return `then ${formatPrice(refund)}${given}`;
    return `${formatPrice(refund)} until ${formatDateTime(toDate(untilAt), zone)}${given}`;
  });
}

/** Whether nothing goes back any more of any session of a booking. */
export function isBookingLate({ sessions }: Booking, now: number): boolean {
  return sessions.every((session) => openSteps(session, now).length === 0);
}
