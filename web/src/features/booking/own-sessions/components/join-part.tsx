/** What the address asks to wait for, read before its form is shown. */
import { useState } from 'react';

import { chosenPractitioner } from '@/components/practitioner-choice';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { ErrorNotice } from '@/components/ui/error-notice';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import type { Waiting } from '@/gen/booking/v1/waiting_service_pb';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { useAuth } from '@/lib/auth';
import { useConsultation, usePracticeZone, useService } from '@/lib/practice';
import { localDate } from '@/lib/time';
import { useServerNow } from '@/lib/use-server-now';
import { isOnline } from '../../shared/booking-state';
import { readDraft } from '../../shared/draft';
import { useBooking } from '../../shared/hooks/use-booking';
import { addDays, daysBetween } from '../../shared/slots';
import { isMovable, startOf } from '../move';
import { OWN_SESSIONS, ownBookingPath, readAgainIn, titleOf } from '../own-booking';
import { shortTime } from '../refund-words';
import { WAIT_DAYS_MAX, type Wanted } from '../wish';
import { JoinForm, type Proof } from './join-form';
import { OwnSkeleton } from './own-frame';

type PartProps = { userId: string; proof: Proof; onJoined: (waiting: Waiting) => void };

/** What every form begins with. */
function useBegin() {
  const { user } = useAuth();
  const { timeZone } = usePracticeZone();
  const today = localDate(new Date(useServerNow()), timeZone);
  const [{ contact, inPerson }] = useState(readDraft);
  return { today, inPerson, firstName: user?.firstName || contact.firstName };
}

function ServiceForm({ service, practitioner, ...props }: PartProps & ServiceProps) {
  const { serviceId, title, practitioners } = service;
  const begin = useBegin();
  return (
    <JoinForm
      {...props}
      title={`Join the wait list for ${title}`}
      practitioners={practitioners}
      back={`/service/${serviceId}`}
      start={{
        ...begin,
        serviceId,
        practitionerId: chosenPractitioner(practitioners, practitioner),
        untilDate: addDays(begin.today, WAIT_DAYS_MAX),
        earlierThan: '',
      }}
    />
  );
}

type ServiceProps = { service: Service; practitioner: string };

function EarlierForm({ booking, ...props }: PartProps & { booking: Booking }) {
  const { bookingId, serviceId, practitionerId, practitionerName } = booking;
  const begin = useBegin();
  const zone = usePracticeZone();
  const at = startOf(booking, 1);
  if (!at) return null;
  const last = addDays(begin.today, WAIT_DAYS_MAX);
  const date = localDate(at, zone.timeZone);
  const whose = practitionerName ? ` with ${practitionerName}` : '';
  return (
    <JoinForm
      {...props}
      title="Tell me if an earlier time becomes free"
      lead={`${titleOf(booking)}${whose}, earlier than ${shortTime(at, zone)}. Until you take another time, yours stays.`}
      practitioners={[]}
      back={ownBookingPath(booking)}
      start={{
        ...begin,
        ...{ serviceId, practitionerId },
        inPerson: !isOnline(booking),
        untilDate: daysBetween(date, last) > 0 ? date : last,
        earlierThan: bookingId,
      }}
    />
  );
}

function NotMovable({ booking }: { booking: Booking | undefined }) {
  return (
    <Alert
      tone="warn"
      title="You can't wait for an earlier time of this session"
      action={
        <Button to={booking ? ownBookingPath(booking) : OWN_SESSIONS} variant="secondary" size="sm">
          {booking ? 'See the session' : 'Your sessions'}
        </Button>
      }
    >
      That is for single sessions that can still be moved.
    </Alert>
  );
}

function readAgain(booking: Booking): number {
  return readAgainIn([booking]);
}

function Earlier({ earlierThan, ...props }: PartProps & { earlierThan: string }) {
  const { booking, error, isMissing, refetch } = useBooking(earlierThan, props.userId, readAgain);
  const now = useServerNow();
  if (isMissing) return <NotMovable booking={undefined} />;
  if (!booking) return error ? <ErrorNotice error={error} onRetry={refetch} /> : <OwnSkeleton />;
  const [session] = booking.sessions;
  const movable = session && !booking.package && isMovable(booking, session, now);
  if (!movable) return <NotMovable booking={booking} />;
  return <EarlierForm {...props} booking={booking} />;
}

export function JoinPart({ wanted, ...props }: PartProps & { wanted: Wanted }) {
  const { serviceId, practitioner, earlierThan } = wanted;
  const service = useService(serviceId);
  const consultation = useConsultation();
  const known = consultation?.serviceId === serviceId ? consultation : service;
  if (earlierThan) return <Earlier {...props} earlierThan={earlierThan} />;
  if (!serviceId) return null;
  if (!known) {
    return (
      <Alert
        title="We don't offer this session"
        action={
          <Button to="/services" variant="secondary" size="sm">
            See our services
          </Button>
        }
      >
        It may have another name now.
      </Alert>
    );
  }
  return <ServiceForm {...props} service={known} practitioner={practitioner} />;
}
