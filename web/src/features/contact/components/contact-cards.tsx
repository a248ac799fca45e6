import type { ReactNode } from 'react';
import { Card } from '@/components/ui/card';
import { classes } from '@/lib/classes';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';

/** One line on a 24 by 24 sheet for each way. */
const MARKS = {
  Phone:
    'M6 3h3l2 5-2.5 1.5a12 12 0 0 0 6 6L16 13l5 2v3a3 3 0 0 1-3 3A15 15 0 0 1 3 6a3 3 0 0 1 3-3z',
  'E-mail': 'M3.5 6h17v12h-17zM4 6.5l8 6.5 8-6.5',
  WhatsApp: 'M4 20l1.4-4A8 8 0 1 1 8.5 19zM9 9.5c0 3 2.5 5.5 5.5 5.5',
  Hours: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 7.5V12l3 2',
  Address:
    'M12 21c4-4.5 6.5-7.7 6.5-11a6.5 6.5 0 1 0-13 0c0 3.3 2.5 6.5 6.5 11z' +
    'M12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
} as const;

type ContactCardProps = { title: keyof typeof MARKS; wide?: boolean; children: ReactNode };

function ContactCard({ title, wide, children }: ContactCardProps) {
  return (
    <Card className={classes('flex items-center gap-4 p-5', wide && 'sm:col-span-2 lg:col-span-1')}>
      <span className="grid size-11 shrink-0 place-items-center rounded-full bg-brand-soft text-brand">
        <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6">
          <path
            d={MARKS[title]}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
      </span>
      <div className="min-w-0">
        <h3 className="font-sans text-sm font-semibold tracking-normal text-ink-2">{title}</h3>
        <div>{children}</div>
      </div>
    </Card>
  );
}

const LINK = 'inline-flex min-h-11 items-center font-semibold text-brand hover:underline';

/** Every way to reach the practice. */
export function ContactCards() {
  const practice = usePractice();
  const whatsapp = practice.whatsapp.replace(/\D/g, '');
  return (
    <address className="grid gap-4 not-italic sm:grid-cols-2 lg:grid-cols-1">
      <ContactCard title="Phone">
        <a href={`tel:${practice.phone}`} className={`${LINK} numeric`}>
          {formatPhone(practice.phone)}
        </a>
      </ContactCard>
      {whatsapp ? (
        <ContactCard title="WhatsApp">
          <a
            href={`https://wa.me/${whatsapp}`}
            target="_blank"
            rel="noopener noreferrer"
            className={LINK}
          >
            Chat with us on WhatsApp<span className="sr-only"> (opens in a new tab)</span>
          </a>
        </ContactCard>
      ) : null}
      <ContactCard title="E-mail">
        <a href={`mailto:${practice.email}`} className={LINK}>
          {practice.email}
        </a>
      </ContactCard>
      <ContactCard title="Hours">{practice.contactHours}</ContactCard>
      <ContactCard title="Address" wide>
        {practice.address}
      </ContactCard>
    </address>
  );
}
