import { FindBooking } from '@/app/find-booking';
import { LazySection } from '@/components/lazy-section';
import { setFlashToast } from '@/components/ui/flash-toast';
import { Skeleton } from '@/components/ui/skeleton';
import type { Flow } from '@/features/booking/booking-flow/hooks/use-flow';
import { isEnded } from '@/features/booking/shared/booking-state';
import { EndedPanel } from '@/features/booking/shared/components/ended-panel';
import { UnreadableBooking } from '@/features/booking/shared/components/unreadable-booking';
import { writeHeld } from '@/features/booking/shared/held-booking';
import type { CheckoutAnswering } from '@/features/payments/hooks/use-checkout-answer';
import { importWithRetry } from '@/lib/import-with-retry';
import { clearFlowKeys } from '@/lib/tab-storage';
import { useGo } from '@/lib/use-go';
import { lazyLoader } from '@/lib/use-lazy-module';
import { PaymentScreen } from './payment-screen';
import { VerificationScreen } from './verification-screen';

/** What follows the payment comes when it is needed: the steps before it are lighter. */
const confirmedStep = lazyLoader(
  async () =>
    (
      await importWithRetry(
        () => import('@/features/booking/booking-flow/components/confirmed-step'),
      )
    ).ConfirmedStep,
);

const resting = <Skeleton className="h-96 w-full rounded-card" />;

function Unreadable({ flow }: { flow: Flow }) {
  const { reading, moves } = flow;
  return (
    <div className="flex flex-col gap-6">
      <UnreadableBooking
        reading={reading}
        onChoose={() => moves.push({ step: 'calendar-terms', bookingId: '' })}
      />
      {reading.isMissing ? <FindBooking onFound={reading.refetch} /> : null}
    </div>
  );
}

type BookingScreenProps = { flow: Flow; answer: CheckoutAnswering };

/** The steps that show a booking: payment, verification, confirmation, and what can end one. */
export function BookingScreen({ flow, answer }: BookingScreenProps) {
  const { booking, reading, step, moves, zone } = flow;
  const go = useGo();

  if (!booking) {
    if (reading.error) return <Unreadable flow={flow} />;
    return resting;
  }

  function anew() {
    writeHeld(null);
    if (!booking) return;
    const { serviceId } = booking;
    const slots: string[] = [];
    moves.push({ step: 'calendar-terms', bookingId: '', serviceId, slot: '', slots, date: '' });
  }

  function complete() {
    clearFlowKeys();
    setFlashToast({ title: 'Booking Complete!', description: 'We look forward to seeing you.' });
    go('/services');
  }

  if (isEnded(booking)) {
    return (
      <EndedPanel booking={booking} zone={zone} verifying={step === 'confirmation'} onAnew={anew} />
    );
  }
  if (step === 'confirmed') {
    return (
      <LazySection code={confirmedStep} resting={resting} missing="Your booking could not be shown">
        {(ConfirmedStep) => <ConfirmedStep booking={booking} zone={zone} onComplete={complete} />}
      </LazySection>
    );
  }
  if (step === 'confirmation')
    return <VerificationScreen flow={flow} booking={booking} answer={answer} />;
  return <PaymentScreen flow={flow} booking={booking} answer={answer} />;
}
