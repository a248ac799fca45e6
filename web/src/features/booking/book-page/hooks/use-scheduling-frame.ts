/** The scheduling provider's widget in a frame: what it says is heard, and asked of our server. */
import { createClient } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { BookingCalendarService } from '@/gen/booking/v1/booking_calendar_service_pb';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { toInstant } from '@/lib/instant';
import { randomKey } from '@/lib/random-key';
import { toDate } from '@/lib/time';
import {
  frameAddress,
  type ScheduledUris,
  scheduledUris,
  writeScheduledEvent,
} from '../scheduled-event';

type Options = {
  service: Service;
  /** The time was taken over, and the next step follows. */
  onChosen: (slot: string) => void;
};

export function useSchedulingFrame({ service, onChosen }: Options) {
  const { serviceId, schedulingUrl } = service;
  const frame = useRef<HTMLIFrameElement>(null);
  const transport = useTransport();
  // One for each time that the frame is shown: the server takes over what a visit of its own made.
  const [shown] = useState(randomKey);
  const visit = useQuery({
    queryKey: ['scheduling-visit', serviceId, shown],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      createClient(BookingCalendarService, transport).openSchedulingVisit(
        { serviceId },
        { signal },
      ),
  });
  const { visitId = '', visitToken = '' } = visit.data ?? {};
  const taking = useMutation({
    mutationFn: async (uris: ScheduledUris) => {
      const client = createClient(BookingCalendarService, transport);
      const asked = { serviceId, visitId, visitToken, ...uris };
      const { startsAt } = await client.takeScheduledEvent(asked);
      if (!startsAt) throw new Error('The answer holds no time.');
      const slot = toInstant(toDate(startsAt));
      writeScheduledEvent({ serviceId, slot, eventUri: uris.eventUri });
      return slot;
    },
    onSuccess: onChosen,
  });
  const { mutate } = taking;
  useEffect(() => {
    const { origin } = new URL(schedulingUrl);
    function hear(message: MessageEvent<unknown>) {
      // Any page can post to this window: only the frame of the configured origin is believed.
      const own = frame.current?.contentWindow;
      if (!own || message.source !== own || message.origin !== origin) return;
      const uris = scheduledUris(message.data);
      if (uris) mutate(uris);
    }
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, [schedulingUrl, mutate]);

  const src = visitId ? frameAddress(schedulingUrl, visitId, location.hostname) : undefined;
  return { frame, src, visit, taking };
}
