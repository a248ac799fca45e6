/** What the practice knows of who comes, until the last session ends. */
import { useCallback, useState } from 'react';
import { LazySection } from '@/components/lazy-section';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { toast } from '@/components/ui/toast-store';
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { importWithRetry } from '@/lib/import-with-retry';
import { lazyLoader } from '@/lib/use-lazy-module';
import { SummaryList } from '../../shared/components/booking-summary';
import { isToCome } from '../own-booking';

/** Most have nothing to correct. */
const contactDialog = lazyLoader(
  async () => (await importWithRetry(() => import('./contact-dialog'))).ContactDialog,
);

type ContactPartProps = { booking: Booking; now: number; onChanged: (after: Booking) => void };

export function ContactPart({ booking, now, onChanged }: ContactPartProps) {
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { contact } = booking;
  if (!contact || (!isToCome(booking, now) && !open)) return null;
  const { firstName, lastName, phone } = contact;
  return (
    <Card className="flex flex-col gap-3">
      <h2 className="text-h3">Your details</h2>
      <SummaryList
        rows={[
          { label: 'Name', value: <bdi>{[firstName, lastName].filter(Boolean).join(' ')}</bdi> },
          { label: 'Phone', value: phone || 'None' },
        ]}
      />
      <Button variant="secondary" size="sm" className="self-start" onClick={() => setOpen(true)}>
        Correct name, phone or note
      </Button>
      {open ? (
        <LazySection code={contactDialog} resting={null} missing="The form could not be loaded">
          {(ContactDialog) => (
            <ContactDialog
              booking={booking}
              onClose={close}
              onDone={(after) => {
                close();
                onChanged(after);
                toast({ title: 'Your details are corrected' });
              }}
            />
          )}
        </LazySection>
      ) : null}
    </Card>
  );
}
