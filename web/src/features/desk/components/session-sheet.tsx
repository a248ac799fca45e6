/** A session on a tap: who and when, and all that this member may do with it now. */
import { useLocation } from 'react-router';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { Attendance } from '@/gen/booking/v1/booking_staff_service_pb';
import { formatPhone } from '@/lib/phone';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { bookingReference } from '@/lib/reference';
import { formatDate, formatTimeRange } from '@/lib/time';
import { useMember } from '../member';
import { type Act, type ActDialog, actsFor } from '../model/acts';
import type { SessionRow } from '../model/day';
import {
  clientName,
  lateWords,
  markOf,
  markWord,
  paymentWord,
  sessionTitle,
  stateWord,
} from '../model/staff-booking';
import { paymentMessage, sessionMessage, whatsappLink } from '../model/whatsapp';
import { CommandNotice } from './command-notice';
import { HeldActs } from './held-acts';
import { MoveProposal } from './move-proposal';

type Marking = { busy: boolean; error: unknown; notSure: boolean };

export type SheetActs = {
  marking: Marking;
  onMark: (row: SessionRow, attendance: Attendance) => void;
  /** Opens a dialog in the place of the sheet. */
  onDialog: (what: ActDialog) => void;
  /** Reads again what is on the screen. */
  onCheck: () => void;
  onClose: () => void;
};

type SheetProps = SheetActs & { row: SessionRow; now: number };

const MARKS: readonly (readonly [Act, Attendance, string])[] = [
  ['came', Attendance.CAME, 'Came'],
  ['no-show', Attendance.NO_SHOW, 'Did not come'],
  ['late', Attendance.LATE, 'Came late'],
  ['unmark', Attendance.UNMARKED, 'Take the mark back'],
];

function Marks({ row, acts, marking, onMark }: SheetProps & { acts: readonly Act[] }) {
  const marks = MARKS.filter(([act]) => acts.includes(act));
  if (marks.length === 0) return null;
  return (
    <div className="grid grid-cols-2 gap-2">
      {marks.map(([act, attendance, label]) => (
        <Button
          key={act}
          variant={act === 'came' ? 'primary' : 'secondary'}
          size="sm"
          busy={marking.busy}
          onClick={() => onMark(row, attendance)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

function Reach({ row, acts }: { row: SessionRow; acts: readonly Act[] }) {
  const { booking, kind, startsAt } = row;
  const { name: practice } = usePractice();
  const zone = usePracticeZone();
  const { firstName = '', phone = '' } = booking.contact ?? {};
  const greeting = { firstName, practice, startsAt, zone };
  const words = kind === 'hold' ? paymentMessage(greeting) : sessionMessage(greeting);
  const whatsapp = acts.includes('whatsapp') ? whatsappLink(phone, words) : undefined;
  if (!acts.includes('call')) return null;
  return (
    <div className="grid grid-cols-2 gap-2">
      <Button variant="secondary" size="sm" href={`tel:${phone}`}>
        Call
      </Button>
      {whatsapp ? (
        <Button
          variant="secondary"
          size="sm"
          href={whatsapp}
          target="_blank"
          rel="noopener noreferrer"
        >
          WhatsApp
        </Button>
      ) : null}
    </div>
  );
}

function Facts({ row }: { row: SessionRow }) {
  const { booking, staff, number, startsAt, endsAt } = row;
  const zone = usePracticeZone();
  const { phone = '', notes = '' } = booking.contact ?? {};
  const mark = markWord(markOf(staff, number));
  const late = lateWords(booking, number, zone);
  const place = booking.mode === SessionMode.IN_PERSON ? 'in person' : 'online';
  return (
    <div className="flex flex-col gap-1">
      <p className="font-semibold numeric">
        {formatDate(startsAt, zone)}, {formatTimeRange(startsAt, endsAt, zone)}
      </p>
      <p>
        {sessionTitle(booking, number)}, {place}, with {booking.practitionerName}
      </p>
      <p className="text-ink-2">
        {[late, mark || stateWord(booking), paymentWord(staff)].filter(Boolean).join(' · ')}
      </p>
      <p className="text-sm text-ink-2 numeric">
        {phone ? `${formatPhone(phone)} · ` : ''}Booking {bookingReference(booking.bookingId)}
      </p>
      {notes ? (
        <p dir="auto" className="mt-2 rounded-card bg-sunken p-3 whitespace-pre-line break-words">
          {notes}
        </p>
      ) : null}
    </div>
  );
}

export function SessionSheet(props: SheetProps) {
  const { row, now, marking, onDialog, onCheck, onClose } = props;
  const { pathname } = useLocation();
  const { role } = useMember();
  const acts = actsFor(role, row, now);
  const held = row.kind === 'hold';
  const record = `/desk/bookings/${row.booking.bookingId}`;
  return (
    <Dialog open sheet onClose={onClose} title={<span dir="auto">{clientName(row.booking)}</span>}>
      <div className="flex flex-col gap-4">
        <Facts row={row} />
        <MoveProposal row={row} onCheck={onCheck} />
        <Marks {...props} acts={acts} />
        <Reach row={row} acts={acts} />
        <CommandNotice error={marking.error} notSure={marking.notSure} onCheck={onCheck} />
        {held ? <HeldActs row={row} acts={acts} onCheck={onCheck} onDone={onClose} /> : null}
        {acts.includes('desk-payment') ? (
          <Button variant="secondary" size="sm" block onClick={() => onDialog('desk-payment')}>
            Paid at the desk…
          </Button>
        ) : null}
        {acts.includes('move') ? (
          <Button variant="secondary" size="sm" block onClick={() => onDialog('move')}>
            Move…
          </Button>
        ) : null}
        {acts.includes('ask-time') ? (
          <Button variant="secondary" size="sm" block onClick={() => onDialog('ask-time')}>
            Ask for another time…
          </Button>
        ) : null}
        {acts.includes('cancel-by-client') ? (
          <Button variant="secondary" size="sm" block onClick={() => onDialog('cancel')}>
            Cancel…
          </Button>
        ) : null}
        {acts.includes('refund') ? (
          <Button variant="secondary" size="sm" block onClick={() => onDialog('refund')}>
            Give money back…
          </Button>
        ) : null}
        {pathname === record ? null : (
          <Button variant="quiet" size="sm" block to={record}>
            Open the booking
          </Button>
        )}
      </div>
    </Dialog>
  );
}
