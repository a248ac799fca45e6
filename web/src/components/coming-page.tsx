import type { ReactNode } from 'react';
import { ServiceArt } from './art/service-art';
import { Button } from './ui/button';
import { PageHeading } from './ui/page-heading';

export type UsefulLink = { to: string; label: string };

type ComingPageProps = {
  title: string;
  eyebrow: string;
  lead: ReactNode;
  /** What will be here, in a sentence or two. */
  coming: ReactNode;
  links: readonly UsefulLink[];
  art: { seed: string; accent: string };
  /** What is true and useful already. */
  children?: ReactNode;
};

function Links({ links }: { links: readonly UsefulLink[] }) {
  return (
    <div className="flex flex-wrap gap-3">
      {links.map(({ to, label }, index) => (
        <Button key={to} to={to} variant={index === 0 ? 'primary' : 'secondary'}>
          {label}
        </Button>
      ))}
    </div>
  );
}

/** A page that is being written: it says what comes, and helps with what is there. */
export function ComingPage(props: ComingPageProps) {
  const { title, eyebrow, lead, coming, links, art, children } = props;
  return (
    <div className="container-page flex flex-col gap-14 py-12 lg:py-16">
      <div className="grid items-center gap-10 md:grid-cols-[1.2fr_1fr]">
        <div className="flex flex-col items-start gap-8">
          <PageHeading eyebrow={eyebrow} lead={lead}>
            {title}
          </PageHeading>
          <Links links={links} />
        </div>
        <ServiceArt
          seed={art.seed}
          accent={art.accent}
          className="aspect-[4/3] w-full rounded-panel max-md:order-first max-md:aspect-[2/1]"
        />
      </div>
      {children}
      <section className="rounded-panel bg-sunken p-6 sm:p-8" aria-labelledby="coming-title">
        <h2 id="coming-title" className="text-h3">
          Still being written
        </h2>
        <p className="measure mt-2 text-ink-2">{coming}</p>
      </section>
    </div>
  );
}
