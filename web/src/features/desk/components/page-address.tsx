/** The address of a payment page, to copy and to send by WhatsApp from the member's own phone. */
import { Button } from '@/components/ui/button';
import { toast } from '@/components/ui/toast-store';
import { usePractice, usePracticeZone } from '@/lib/practice';
import type { SessionRow } from '../model/day';
import { paymentMessage, whatsappLink } from '../model/whatsapp';

type PageAddressProps = { row: Pick<SessionRow, 'booking' | 'startsAt'>; address: string };

export function PageAddress({ row: { booking, startsAt }, address }: PageAddressProps) {
  const { name: practice } = usePractice();
  const zone = usePracticeZone();
  const { firstName = '', phone = '' } = booking.contact ?? {};
  const words = paymentMessage({ firstName, practice, startsAt, zone }, address);
  const whatsapp = whatsappLink(phone, words);

  async function copy() {
    try {
      await navigator.clipboard.writeText(address);
      toast({ title: 'Copied' });
    } catch {
      toast({ title: 'It could not be copied', description: 'Mark the address and copy it.' });
    }
  }

  return (
    <div className="flex flex-col gap-3 rounded-card bg-sunken p-4">
      <p className="text-sm font-semibold">The page on which it is agreed to and paid</p>
      <p className="text-sm break-all select-all">{address}</p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" variant="secondary" onClick={() => void copy()}>
          Copy
        </Button>
        {whatsapp ? (
          <Button
            size="sm"
            variant="secondary"
            href={whatsapp}
            target="_blank"
            rel="noopener noreferrer"
          >
            Send by WhatsApp
          </Button>
        ) : null}
      </div>
    </div>
  );
}
