import { useState } from 'react';
import { ProveAddress } from '@/features/account/components/prove-address';
import { ScheduleStep } from '@/features/booking/components/schedule-step';
import { readHeld } from '@/features/booking/held-booking';
import { useBooking } from '@/features/booking/hooks/use-booking';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import type { Flow } from './use-flow';

/** The calendar step, which knows the time that this tab may be holding already. */
export function ScheduleScreen({ flow, service }: { flow: Flow; service: Service }) {
  const { moves, draft, user, reading } = flow;
  const [heldId] = useState(() => readHeld()?.bookingId ?? '');
  const held = useBooking(heldId, user?.id);
  return (
    <ScheduleStep
      service={service}
      moves={moves}
      draft={draft}
      held={held.booking}
      heldPending={held.isPending}
      onHeld={(booking) => {
        reading.learn(booking);
        moves.push({ step: 'payment', bookingId: booking.bookingId });
      }}
      onBack={() => moves.push({ step: 'auth' })}
      proof={(onProved) => <ProveAddress email={user?.email ?? ''} onProved={onProved} />}
    />
  );
}
