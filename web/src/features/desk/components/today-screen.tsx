/** /desk and /desk/day/<date>: one day, with what is now and next at its top. */
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Skeleton } from '@/components/ui/skeleton';
import { validDate } from '@/lib/instant';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { localDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { useServerNow } from '@/lib/use-server-now';
import { useDay } from '../hooks/use-day';
import { nextUp } from '../model/next-up';
import { DayEnd } from './day-end';
import { DayHead } from './day-head';
import { DayList } from './day-list';
import { NowCard } from './now-card';
import { useRowActs } from './row-acts';
import { StaleNotice } from './stale-notice';
import { useTimeActs } from './time-acts';

function Resting() {
  return (
    <div aria-busy="true" className="flex flex-col gap-2.5">
      <span className="sr-only">Loading the day…</span>
      <Skeleton className="h-44 w-full rounded-card" />
      <Skeleton className="h-24 w-full rounded-card" />
      <Skeleton className="h-24 w-full rounded-card" />
    </div>
  );
}

function News({ words, onShow }: { words: string; onShow: () => void }) {
  return (
    <div role="status" className="empty:hidden">
      {words ? (
        <Button variant="secondary" size="sm" block onClick={onShow}>
          {words} · Show
        </Button>
      ) : null}
    </div>
  );
}

function Day({ date, today, now }: { date: string; today: string; now: number }) {
  const { practitioners } = usePractice();
  const [who, setWho] = useState('');
  const several = practitioners.length > 1;
  const { bookings, blocked, isRead, latest, rows, steady } = useDay(date, who, several);
  const acts = useRowActs({
    rows: [...steady.rows, ...latest],
    now,
    onOwnAct: steady.showNext,
  });
  const times = useTimeActs({ onDone: steady.showNext, onDialog: acts.openDialog });
  const next = date === today ? nextUp(latest, now) : undefined;

  return (
    <div className="flex max-w-4xl flex-col gap-5">
      <DayHead
        date={date}
        today={today}
        practitioners={practitioners}
        practitionerId={who}
        onPractitioner={setWho}
      />
      <StaleNotice
        error={bookings.error}
        readAt={bookings.dataUpdatedAt}
        what="The sessions"
        onRetry={() => void bookings.refetch()}
      />
      <StaleNotice
        error={bookings.error ? null : blocked.error}
        readAt={blocked.dataUpdatedAt}
        what="The closed times"
        onRetry={() => void blocked.refetch()}
      />
      {acts.notice}
      {times.notice}
      {next ? (
        <NowCard next={next} now={now} busy={acts.busy} onMark={acts.mark} onOpen={acts.open} />
      ) : null}
      <News words={steady.news} onShow={steady.show} />
      {!isRead && !bookings.error ? <Resting /> : null}
      {isRead ? (
        <DayEnd date={date} isToday={date === today} now={now} rows={latest} practitionerId={who} />
      ) : null}
      <DayList
        rows={rows}
        withWhom={several && who === ''}
        practitionerId={who}
        times={times}
        onPress={acts.open}
      />
      {isRead ? (
        <div className="flex flex-wrap gap-3">
          <Button size="sm" variant="secondary" to={`/desk/new?date=${date}`}>
            Book for a client
          </Button>
          <Button size="sm" variant="secondary" onClick={() => times.closeDay(date, who)}>
            Close a time…
          </Button>
        </div>
      ) : null}
      {bookings.data?.more ? (
        <p className="text-sm text-ink-2">There are more bookings on this day than are listed.</p>
      ) : null}
      {acts.dialogs}
      {times.dialog}
    </div>
  );
}

export function TodayScreen({ params }: { params: { id?: string | undefined } }) {
  const { timeZone } = usePracticeZone();
  const now = useServerNow();
  const today = localDate(new Date(now), timeZone);
  const asked = params.id === undefined ? today : validDate(params.id);
  usePageTitle(asked === today ? 'Today' : undefined);
  if (!asked) return <p>This is no date. The desk’s way to it is “Today”.</p>;
  return <Day key={asked} date={asked} today={today} now={now} />;
}
