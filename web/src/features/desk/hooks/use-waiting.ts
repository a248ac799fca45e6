/** The wait list in pages, and what is done with an entry: a time is offered, or it is taken off. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toast } from '@/components/ui/toast-store';
import {
  type ListWaitingResponse,
  type StaffWaiting,
  type Waiting,
  WaitingStaffService,
} from '@/gen/booking/v1/waiting_service_pb';
import { serverNow } from '@/lib/clock';
import { toInstant } from '@/lib/instant';
import { usePracticeZone } from '@/lib/practice';
import { useMember } from '../member';
import { timeWords } from '../model/time-words';
import { heldWords } from '../model/waiting';
import { DESK, LESS_LIVE } from './desk-keys';
import { useDeskNews } from './use-bookings';
import { useCommand } from './use-command';
import { CALL } from './use-desk-clients';

function useWaitingStaff() {
  const transport = useTransport();
  return useMemo(() => createClient(WaitingStaffService, transport), [transport]);
}

/** An entry with the words that its list has about the client. */
export type Entry = Omit<StaffWaiting, 'waiting'> & { waiting: Waiting };

/** An entry that went from one page to the next between two answers is listed once. */
function listed(pages: readonly ListWaitingResponse[]): Entry[] {
  const all = pages.flatMap(({ waiting }) =>
    waiting.flatMap((one) => (one.waiting ? [{ ...one, waiting: one.waiting }] : [])),
  );
  return [...new Map(all.map((one) => [one.waiting.waitingId, one])).values()];
}

/** Each reading is written down with its reader, so that it is read less often than a day. */
export function useWaitList() {
  const { userId } = useMember();
  const staff = useWaitingStaff();
  const query = useInfiniteQuery({
    ...LESS_LIVE,
    queryKey: [DESK, userId, 'waiting'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => staff.listWaiting({ pageToken: pageParam }, { signal }),
    getNextPageParam: ({ nextPageToken }: ListWaitingResponse) => nextPageToken || undefined,
  });
  return { ...query, entries: query.data && listed(query.data.pages) };
}

export type TimeToOffer = { startsAt: Date; practitionerId: string; reason: string };

export function useOffering({ firstName, waiting: { waitingId } }: Entry, onDone: () => void) {
  const staff = useWaitingStaff();
  const zone = usePracticeZone();
  const { refresh } = useDeskNews();
  return useCommand(
    ({ startsAt, practitionerId, reason }: TimeToOffer) => ({
      name: `offer/${waitingId}`,
      parts: [toInstant(startsAt), practitionerId, reason],
      send: (idempotencyKey) => {
        const asked = { idempotencyKey, waitingId, practitionerId, reason };
        return staff.offerTime({ ...asked, startsAt: timestampFromDate(startsAt) }, CALL);
      },
    }),
    ({ offer }, { startsAt }) => {
      void refresh();
      toast({
        title: `${timeWords(startsAt, zone)} is offered to ${firstName}`,
        ...(offer && { description: `It is ${heldWords(offer, serverNow(), zone)}.` }),
      });
      onDone();
    },
    () => void refresh(),
  );
}

export function useEndWaiting({ firstName, waiting: { waitingId } }: Entry, onDone: () => void) {
  const staff = useWaitingStaff();
  const { refresh } = useDeskNews();
  return useCommand(
    (reason: string) => ({
      name: `end-waiting/${waitingId}`,
      parts: [reason],
      send: () => staff.endWaiting({ waitingId, reason }, CALL),
    }),
    () => {
      void refresh();
      toast({ title: `${firstName} is off the wait list` });
      onDone();
    },
    () => void refresh(),
  );
}
