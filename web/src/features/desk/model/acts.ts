/**
 * What a member may do with a session, by role and by where it stands. What is not in the list is not
 * shown. The server decides; this only leaves out what it would refuse.
 */
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { Attendance, StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import type { SessionRow } from './day';
import { isAskedToMove, openProposal } from './move-proposal';
import { isClaimed, isHeld, markOf, takesPlace } from './staff-booking';
import { whatsappNumber } from './whatsapp';

export type Act =
  | 'came'
  | 'late'
  | 'no-show'
  | 'unmark'
  | 'call'
  | 'whatsapp'
  | 'move'
  | 'ask-time'
  | 'take-back'
  | 'cancel-by-client'
  | 'cancel-by-practice'
  | 'choose-refund'
  | 'accept-claim'
  | 'send-page'
  | 'release'
  | 'desk-payment'
  | 'refund';

/** The acts that take a dialog. */
export type ActDialog = 'move' | 'ask-time' | 'cancel' | 'refund' | 'desk-payment';

const DAY_MS = 86_400_000;
const MARKABLE_DAYS = 14;

export function isManager(role: StaffRole): boolean {
  return role === StaffRole.OWNER || role === StaffRole.ADMIN;
}

/** The wait list is kept by those who keep the practice's days. */
export function keepsWaitList(role: StaffRole): boolean {
  return isManager(role) || role === StaffRole.FRONT_DESK;
}

type Session = Pick<SessionRow, 'staff' | 'booking' | 'number' | 'startsAt' | 'endsAt'>;

/** By this page's clock, or because the server says that it is over. */
function hasBegun({ booking, startsAt }: Session, now: number): boolean {
  const { state } = booking;
  const over = state === BookingState.COMPLETED || state === BookingState.NO_SHOW;
  return over || startsAt.getTime() <= now;
}

function marks(session: Session, now: number): Act[] {
  const { staff, booking, number, endsAt } = session;
  const until = endsAt.getTime() + MARKABLE_DAYS * DAY_MS;
  if (!takesPlace(booking) || !hasBegun(session, now) || now >= until) return [];
  const mark = markOf(staff, number);
  const asked = isAskedToMove(booking, number);
  const all: readonly (readonly [Act, Attendance])[] = [
    ['came', Attendance.CAME],
    ['no-show', Attendance.NO_SHOW],
    ['late', Attendance.LATE],
    ['unmark', Attendance.UNMARKED],
  ];
  // A client that was asked to choose another time is not missed at the old one.
  const some = all.filter(([act]) => act !== 'no-show' || !asked);
  return some.filter(([, value]) => value !== mark).map(([act]) => act);
}

function canCancel({ booking, endsAt }: Session, now: number): boolean {
  const { state } = booking;
  const confirmed = state === BookingState.CONFIRMED || state === BookingState.MEETING_SCHEDULED;
  return confirmed && endsAt.getTime() > now;
}

/** Of a package one session at a time has another time to be chosen. */
function canAskForTime(session: Session, now: number): boolean {
  const { booking, startsAt } = session;
  const quiet = !booking.pendingCancellation && openProposal(booking) === undefined;
  return canCancel(session, now) && startsAt.getTime() > now && quiet;
}

/** Money of the client's is with the practice. */
function hasMoney({ booking }: Session): boolean {
  return booking.paymentState === PaymentState.PAID && (booking.paid?.minorUnits ?? 0n) > 0n;
}

export function actsFor(role: StaffRole, session: Session, now: number): Act[] {
  const { booking } = session;
  const manages = isManager(role);
  const phone = booking.contact?.phone ?? '';
  const held = isHeld(booking);
  const cancels = canCancel(session, now);
  const some: readonly (readonly [Act, boolean])[] = [
    ['call', phone !== ''],
    ['whatsapp', whatsappNumber(phone) !== undefined],
    ['accept-claim', manages && isClaimed(booking)],
    ['send-page', held],
    ['desk-payment', held],
    ['release', held],
    ['move', cancels],
    ['ask-time', canAskForTime(session, now)],
    ['take-back', isAskedToMove(booking, session.number)],
    ['cancel-by-client', cancels],
    ['choose-refund', cancels && manages],
    ['cancel-by-practice', cancels && manages],
    ['refund', manages && hasMoney(session)],
  ];
  return [...marks(session, now), ...some.filter(([, may]) => may).map(([act]) => act)];
}
