import type { ReactNode } from 'react';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { Card } from './ui/card';

function ContactCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-1">
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
      <ContactCard title="Address">{practice.address}</ContactCard>
      <ContactCard title="Hours">{practice.contactHours}</ContactCard>
      {whatsapp ? (
        <ContactCard title="WhatsApp">
          <a href={`https://wa.me/${whatsapp}`} className={LINK} rel="noreferrer">
            Write to us on WhatsApp
          </a>
        </ContactCard>
      ) : null}
    </div>
  );
}
