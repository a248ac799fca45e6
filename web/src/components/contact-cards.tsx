import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { Card } from './ui/card';

type ContactCardProps = { title: string; wide?: boolean; children: ReactNode };

function ContactCard({ title, wide, children }: ContactCardProps) {
  return (
    <Card className={classes('flex flex-col justify-center gap-1', wide && 'sm:col-span-2')}>
      <h2 className="font-sans text-sm font-semibold tracking-normal text-ink-2">{title}</h2>
      <div className="text-lg">{children}</div>
    </Card>
  );
}

const LINK = 'inline-flex min-h-11 items-center font-semibold text-brand hover:underline';

/** Every way to reach the practice. */
export function ContactCards() {
  const practice = usePractice();
  const whatsapp = practice.whatsapp.replace(/\D/g, '');
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ContactCard title="Phone">
        <a href={`tel:${practice.phone}`} className={`${LINK} numeric`}>
          {formatPhone(practice.phone)}
        </a>
      </ContactCard>
      <ContactCard title="E-mail">
        <a href={`mailto:${practice.email}`} className={LINK}>
          {practice.email}
        </a>
      </ContactCard>
      {whatsapp ? (
        <ContactCard title="WhatsApp">
          <a href={`https://wa.me/${whatsapp}`} className={LINK} rel="noreferrer">
            Write to us on WhatsApp
          </a>
        </ContactCard>
      ) : null}
      <ContactCard title="Hours">{practice.contactHours}</ContactCard>
      <ContactCard title="Address" wide>
        {practice.address}
      </ContactCard>
    </div>
  );
}
