import type { ReactNode } from 'react';
import { classes } from '@/lib/classes';
import { formatPhone } from '@/lib/phone';
import { usePractice } from '@/lib/practice';
import { CrisisNote } from './crisis-note';
import { Logo } from './logo';
import type { LinksAt, NavLink } from './navigation';
import { SiteLink } from './site-link';

const HEALING_CHOICES = [
  'Mental Health Therapy',
  'Spiritual Healing',
  'Meditation Guidance',
  'Energy Healing',
];

const LINK = 'inline-flex min-h-11 items-center text-ink-2 hover:text-brand hover:underline';

type ColumnProps = { title: string; children: ReactNode; className?: string };

function Column({ title, children, className }: ColumnProps) {
  return (
    <div className={classes('flex flex-col gap-2', className)}>
      <h2 className="font-sans text-sm font-semibold tracking-normal">{title}</h2>
      {children}
    </div>
  );
}

function ContactColumn() {
  const practice = usePractice();
  return (
    <Column title="Contact" className="max-sm:col-span-2">
      <address className="flex flex-col text-sm not-italic">
        <a href={`tel:${practice.phone}`} className={`${LINK} numeric`}>
          {formatPhone(practice.phone)}
        </a>
        <a href={`mailto:${practice.email}`} className={LINK}>
          {practice.email}
        </a>
        <span className="inline-flex min-h-11 items-center text-ink-2">
          {practice.city}, {practice.region}
        </span>
      </address>
    </Column>
  );
}

function Rules({ links }: { links: readonly NavLink[] }) {
  return (
    <nav aria-label="Privacy and terms">
      <ul className="grid grid-cols-2 gap-x-6 text-sm sm:flex sm:flex-wrap">
        {links.map(({ to, label }) => (
          <li key={to}>
            <SiteLink to={to} className={LINK}>
              {label}
            </SiteLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What every page ends with. */
export function Footer({ linksAt }: { linksAt: LinksAt }) {
  const { name } = usePractice();
  return (
    <footer className="mt-24 border-t border-hairline bg-sunken print:hidden">
      <div className="container-page flex flex-col gap-10 pt-14 pb-10">
        <div className="grid grid-cols-2 gap-x-6 gap-y-10 sm:gap-x-10 lg:grid-cols-[2fr_1fr_1.2fr_1.4fr]">
          <div className="flex max-w-sm flex-col gap-3 max-sm:col-span-2">
            <Logo />
            <p className="text-ink-2">
              Transform your life through holistic mental and spiritual healing. Your journey to
              wellness starts here.
            </p>
            {linksAt('footerGuide').map(({ to, label }) => (
              <SiteLink key={to} to={to} className={`${LINK} self-start text-sm`}>
                {label}
              </SiteLink>
            ))}
          </div>
          <Column title="Quick Links">
            <ul className="text-sm">
              {linksAt('footerQuick').map(({ to, label }) => (
                <li key={to}>
                  <SiteLink to={to} className={LINK}>
                    {label}
                  </SiteLink>
                </li>
              ))}
            </ul>
          </Column>
          <Column title="Healing Choices">
            <ul className="text-sm text-ink-2">
              {HEALING_CHOICES.map((choice) => (
                <li key={choice} className="flex min-h-11 items-center">
                  {choice}
                </li>
              ))}
            </ul>
          </Column>
          <ContactColumn />
        </div>
        <CrisisNote className="rounded-card bg-clay-soft p-5 text-sm text-ink" />
        <div className="flex flex-wrap items-center justify-between gap-x-10 gap-y-3 border-t border-hairline pt-4">
          <p className="text-sm text-ink-2">© 2024, all rights reserved, {name}</p>
          <Rules links={[...linksAt('footerLegal'), ...linksAt('footerRules')]} />
        </div>
      </div>
    </footer>
  );
}
