/** /desk/waiting: the wait list in the order in which times are offered, for those who keep it. */
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import { Skeleton } from '@/components/ui/skeleton';
import { mailto } from '@/lib/mailto';
import { usePractice, usePracticeZone } from '@/lib/practice';
import { toDate } from '@/lib/time';
import { usePageTitle } from '@/lib/use-page-title';
import { useServerNow } from '@/lib/use-server-now';
import { type Entry, useWaitList } from '../hooks/use-waiting';
import { useMember } from '../member';
import { keepsWaitList } from '../model/acts';
import { timeWords } from '../model/time-words';
import { heldWords, lapsedWords, whatWords, wishWords } from '../model/waiting';
import { StaleNotice } from './stale-notice';
import { EndWaitingDialog, OfferDialog } from './waiting-dialogs';

const LEAD = 'A time that becomes free is offered to the first client whom it fits.';

const DIALOGS = { offer: OfferDialog, end: EndWaitingDialog };

type Opened = { what: keyof typeof DIALOGS; entry: Entry };

type EntryCardProps = {
  entry: Entry;
  /** From 1: the first to whom a time is offered. */
  place: number;
  now: number;
  onOpen: (opened: Opened) => void;
};

/** What is offered to the client now, and what became of offers before. */
function Offers({ entry: { waiting, offersLapsed }, now }: Pick<EntryCardProps, 'entry' | 'now'>) {
  const zone = usePracticeZone();
  const { practitioners } = usePractice();
  const { offer, practitionerName } = waiting;
  const withWhom = practitioners.length > 1 && !practitionerName;
  return (
    <>
      {offer?.startsAt ? (
        <p className="font-semibold numeric">
          Offered {timeWords(toDate(offer.startsAt), zone)}
          {withWhom ? ` with ${offer.practitionerName}` : ''}, {heldWords(offer, now, zone)}
        </p>
      ) : null}
      {offersLapsed > 0 ? (
        <p className="text-sm text-ink-2 numeric">{lapsedWords(offersLapsed)}</p>
      ) : null}
    </>
  );
}

type ActsProps = Pick<EntryCardProps, 'entry' | 'onOpen'> & { titleId: string };

function Acts({ entry, titleId, onOpen }: ActsProps) {
  const { offer, wish } = entry.waiting;
  const open = (what: Opened['what']) => () => onOpen({ what, entry });
  return (
    <div className="flex flex-wrap gap-2">
      {offer ? null : (
        <Button
          size="sm"
          variant="secondary"
          data-row=""
          aria-describedby={titleId}
          onClick={open('offer')}
        >
          Offer a time…
        </Button>
      )}
      <Button
        size="sm"
        variant="secondary"
        data-row={offer ? '' : undefined}
        aria-describedby={titleId}
        onClick={open('end')}
      >
        Take off the list…
      </Button>
      {wish?.earlierThanBookingId ? (
        <Button
          size="sm"
          variant="quiet"
          aria-describedby={titleId}
          to={`/desk/bookings/${wish.earlierThanBookingId}`}
        >
          Open the booking
        </Button>
      ) : null}
    </div>
  );
}

function EntryCard({ entry, place, now, onOpen }: EntryCardProps) {
  const { waiting, firstName, email } = entry;
  const zone = usePracticeZone();
  const { practitioners } = usePractice();
  const id = useId();
  const { joinedAt, earlierThanAt } = waiting;
  return (
    <article
      aria-labelledby={id}
      className="flex flex-col gap-2 rounded-card border border-hairline bg-surface p-4 shadow-soft"
    >
      <h2 id={id} className="text-base font-semibold numeric">
        {place}. <bdi>{firstName}</bdi>
      </h2>
      <p>{whatWords(waiting, practitioners.length > 1)}</p>
      {earlierThanAt ? (
        <p className="numeric">Earlier than {timeWords(toDate(earlierThanAt), zone)}</p>
      ) : null}
      <p className="numeric">{wishWords(waiting, zone)}</p>
      <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-2 numeric">
        {joinedAt ? `Since ${timeWords(toDate(joinedAt), zone)}` : ''}
        {email ? (
          <a
            className="inline-flex min-h-11 items-center text-brand underline wrap-anywhere"
            href={mailto(email)}
          >
            {email}
          </a>
        ) : null}
      </p>
      <Offers entry={entry} now={now} />
      <Acts entry={entry} titleId={id} onOpen={onOpen} />
    </article>
  );
}

type EntriesProps = {
  entries: readonly Entry[];
  now: number;
  list: ReturnType<typeof useWaitList>;
  onOpen: (opened: Opened) => void;
};

/** After its next page the focus goes to the first of the new ones. */
function Entries({ entries, now, list, onOpen }: EntriesProps) {
  const items = useRef<HTMLOListElement>(null);
  const [firstNew, setFirstNew] = useState(0);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;

  useEffect(() => {
    // The new ones may be there a moment after the answer.
    if (firstNew === 0 || entries.length <= firstNew) return;
    items.current?.children[firstNew]?.querySelector<HTMLElement>('[data-row]')?.focus();
    setFirstNew(0);
  }, [firstNew, entries.length]);

  async function more() {
    const before = entries.length;
    const { isFetchNextPageError } = await fetchNextPage();
    if (!isFetchNextPageError) setFirstNew(before);
  }

  return (
    <>
      <ol ref={items} className="flex flex-col gap-2.5">
        {entries.map((entry, index) => (
          <li key={entry.waiting.waitingId}>
            <EntryCard entry={entry} place={index + 1} now={now} onOpen={onOpen} />
          </li>
        ))}
      </ol>
      {hasNextPage ? (
        <Button
          variant="secondary"
          className="self-start"
          busy={isFetchingNextPage}
          busyText="Loading…"
          onClick={() => void more()}
        >
          Show more
        </Button>
      ) : null}
    </>
  );
}

function List() {
  const now = useServerNow();
  const list = useWaitList();
  const [opened, setOpened] = useState<Opened>();
  const { entries, error, dataUpdatedAt, refetch } = list;
  const again = () => void refetch();
  const Shown = opened && DIALOGS[opened.what];
  return (
    <>
      <StaleNotice error={error} readAt={dataUpdatedAt} what="The wait list" onRetry={again} />
      {!entries && !error ? (
        <div aria-busy="true" className="flex flex-col gap-2.5">
          <span className="sr-only">Loading the wait list…</span>
          <Skeleton className="h-44 w-full rounded-card" />
          <Skeleton className="h-44 w-full rounded-card" />
        </div>
      ) : null}
      {entries?.length === 0 ? (
        <Card>
          <p className="font-semibold">No client waits for a time.</p>
          <p className="text-ink-2">
            Clients join the list on the site, where no free time suits them.
          </p>
        </Card>
      ) : null}
      {entries && entries.length > 0 ? (
        <Entries entries={entries} now={now} list={list} onOpen={setOpened} />
      ) : null}
      {Shown ? (
        <Shown entry={opened.entry} onClose={() => setOpened(undefined)} onCheck={again} />
      ) : null}
    </>
  );
}

export function WaitingScreen() {
  const { role } = useMember();
  usePageTitle('Wait list');
  const keeps = keepsWaitList(role);
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <PageHeading className="gap-1! [&_h1]:text-h2" lead={keeps ? LEAD : undefined}>
        Wait list
      </PageHeading>
      {keeps ? (
        <List />
      ) : (
        <Card className="flex flex-col items-start gap-3">
          <p>Owners, admins and the front desk keep it.</p>
          <Button size="sm" to="/desk">
            To today
          </Button>
        </Card>
      )}
    </div>
  );
}
