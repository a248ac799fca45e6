/** For owners and admins: the mails of a booking and all that happened to it, each part by itself. */
import type { ReactNode } from 'react';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { usePracticeZone } from '@/lib/practice';
import { formatClock, formatShortDate, toDate } from '@/lib/time';
import { useBookingRecord, useMemberNames } from '../hooks/use-one-booking';
import { historyLines } from '../model/history';
import { mailStateWord, mailWord } from '../model/mail-words';
import { StaleNotice } from './stale-notice';

type Line = { key: string; at: Date | undefined; words: ReactNode };

function Lines({ lines, none }: { lines: readonly Line[]; none: string }) {
  const zone = usePracticeZone();
  if (lines.length === 0) return <p className="text-ink-2">{none}</p>;
  return (
    <ol className="flex flex-col gap-2">
      {lines.map(({ key, at, words }) => (
        <li key={key} className="grid grid-cols-[7.5rem_1fr] gap-3 text-sm">
          <span className="text-ink-2 numeric">
            {at ? `${formatShortDate(at, zone)}, ${formatClock(at, zone)}` : ''}
          </span>
          <span>{words}</span>
        </li>
      ))}
    </ol>
  );
}

type Part = { error: unknown; dataUpdatedAt: number; refetch: () => unknown; data: unknown };

type FramedProps = { title: string; parts: readonly Part[]; children: ReactNode };

function Framed({ title, parts, children }: FramedProps) {
  const failed = parts.find(({ error }) => error);
  const waits = parts.some(({ data, error }) => data === undefined && !error);
  return (
    <Card className="flex flex-col gap-3 p-5">
      <h2 className="text-h3">{title}</h2>
      <StaleNotice
        error={failed?.error}
        readAt={failed?.dataUpdatedAt ?? 0}
        what={title}
        onRetry={() => {
          for (const part of parts) void part.refetch();
        }}
      />
      {waits ? <Skeleton className="h-20 w-full" /> : children}
    </Card>
  );
}

type BookingRecordProps = {
  bookingId: string;
  /** It has several sessions. */
  several: boolean;
};

export function BookingRecord({ bookingId, several }: BookingRecordProps) {
  const { history, money, mails } = useBookingRecord(bookingId);
  const sent = (mails.data ?? []).map(({ mailId, kind, state, sentAt, queuedAt, reason }) => {
    const at = sentAt ?? queuedAt;
    const words = [mailWord(kind), mailStateWord(state), reason].filter(Boolean).join(' · ');
    return { key: mailId, at: at && toDate(at), words };
  });
  const receipts = money.data?.receipts ?? [];
  const { entries = [], moveReasons: reasons = [] } = history.data ?? {};
  const nameOf = useMemberNames(reasons.length > 0);
  const said = { reasons, several, nameOf };
  const lines = historyLines(entries, money.data?.entries ?? [], said);
  return (
    <>
      <Framed title="Messages" parts={[mails]}>
        <Lines lines={sent} none="No mail is known." />
      </Framed>
      <Framed title="History" parts={[history, money]}>
        {receipts.length > 0 ? (
          <p className="text-sm numeric">Receipts: {receipts.join(', ')}</p>
        ) : null}
        <Lines lines={lines} none="Nothing is known." />
      </Framed>
    </>
  );
}
