/** What a session's page shows: to its client by a mail's key or an account, to members by role. */
import { type Client, ConnectError, createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { type Query, useQuery } from '@tanstack/react-query';
import {
  BookingStaffService,
  type GetJoinPageResponse,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { type ClientJoinPage, JoinPageService } from '@/gen/booking/v1/join_page_service_pb';
import { serverNow } from '@/lib/clock';
import { CODE } from '@/lib/codes';
import { toDate } from '@/lib/time';

/** How often it is read again: a session may be cancelled meanwhile. */
const READ_AGAIN_MS = 30_000;
/** The same while the room's time has come and the room is not there. */
const READ_SOON_MS = 3_000;

type Opening = { room: string; opensAt: ClientJoinPage['roomOpensAt'] };

/** In how many milliseconds the page is read again. */
export function readAgainIn({ room, opensAt }: Opening): number {
  const isDue = opensAt !== undefined && toDate(opensAt).getTime() <= serverNow();
  return isDue && room === '' ? READ_SOON_MS : READ_AGAIN_MS;
}

function readAgain({ own, member }: Partial<SessionPage>): number {
  const opensAt = own?.roomOpensAt ?? member?.roomOpensAt;
  return readAgainIn({ opensAt, room: own?.roomUrl ?? member?.joinUrl ?? '' });
}

function required(page: ClientJoinPage | undefined): ClientJoinPage {
  if (!page) throw new Error('The answer holds no page.');
  return page;
}

/** The page of a mail's key. */
export function useKeyPage(joinKey: string) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['session-page', joinKey],
    staleTime: 0,
    refetchInterval: ({ state: { data } }: Query<ClientJoinPage>) =>
      readAgain(data ? { own: data } : {}),
    queryFn: async ({ signal }): Promise<ClientJoinPage> => {
      const pages = createClient(JoinPageService, transport);
      return required((await pages.openJoinPage({ joinKey }, { signal })).page);
    },
  });
}

/** A session as the account may see it: as its client, or as a member of the practice. */
export type SessionPage =
  | { own: ClientJoinPage; member?: undefined }
  | { own?: undefined; member: GetJoinPageResponse };

async function ownPage(
  pages: Client<typeof JoinPageService>,
  bookingId: string,
  signal: AbortSignal,
): Promise<ClientJoinPage | undefined> {
  try {
    return required((await pages.getOwnJoinPage({ bookingId }, { signal })).page);
  } catch (error) {
    if (ConnectError.from(error).code === CODE.NotFound) return undefined;
    throw error;
  }
}

export function useSessionPage(bookingId: string, userId: string | undefined) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['join', userId, bookingId],
    enabled: userId !== undefined,
    staleTime: 0,
    refetchInterval: ({ state: { data } }: Query<SessionPage>) => readAgain(data ?? {}),
    queryFn: async ({ signal }): Promise<SessionPage> => {
      const own = await ownPage(createClient(JoinPageService, transport), bookingId, signal);
      if (own) return { own };
      const staff = createClient(BookingStaffService, transport);
      return { member: await staff.getJoinPage({ bookingId }, { signal }) };
    },
  });
}
