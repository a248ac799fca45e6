import { AppLink } from '@/components/ui/app-link';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { LEGAL_NAMES, type LegalName, type LegalSection, type LegalText } from '@/lib/legal-text';
import { formatPhone } from '@/lib/phone';
import { useLegalText, usePractice } from '@/lib/practice';
import { formatLongDate } from '@/lib/time';
import { LEGAL_PAGES } from '../legal-pages';
import { LegalBlocks } from './legal-words';

const SIDE_LINK = 'inline-flex min-h-11 items-center text-ink-2 hover:text-brand hover:underline';

function Part({ section: { id, title, blocks } }: { section: LegalSection }) {
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="flex scroll-mt-28 flex-col gap-4 print:gap-1.5"
    >
      <h2
        id={`${id}-title`}
        className="text-h3 print:break-after-avoid print:text-[13pt] print:leading-tight"
      >
        {title}
      </h2>
      <LegalBlocks blocks={blocks} />
    </section>
  );
}

/** The parts of a long page, where there is room beside it. */
function Contents({ sections }: { sections: readonly LegalSection[] }) {
  return (
    <nav
      aria-labelledby="contents-title"
      className="flex flex-col gap-2 border-l border-hairline pl-6 text-sm max-lg:hidden lg:sticky lg:top-28 lg:max-h-[calc(100dvh-8rem)] lg:self-start lg:overflow-y-auto print:hidden"
    >
      <h2 id="contents-title" className="font-sans text-sm font-semibold tracking-normal">
        On this page
      </h2>
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`} className={SIDE_LINK}>
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The other texts that belong to this one. */
function Related({ name }: { name: LegalName }) {
  const others = LEGAL_NAMES.filter((other) => other !== name).map((other) => ({
    to: `/${other}`,
    title: LEGAL_PAGES[other].title,
  }));
  const links = [
    ...others,
    { to: '/cancellation-policy', title: 'Cancellation Policy' },
    { to: '/contact', title: 'Contact us' },
  ];
  return (
    <nav aria-label="Read on" className="border-t border-hairline pt-6 print:hidden">
      <ul className="flex flex-wrap gap-x-8 max-sm:flex-col">
        {links.map(({ to, title }) => (
          <li key={to}>
            <AppLink
              to={to}
              className="inline-flex min-h-11 items-center font-semibold text-brand underline underline-offset-4"
            >
              {title}
            </AppLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What a sheet of paper needs that a page has elsewhere. */
function OnPaper() {
  const { name, phone, email, address } = usePractice();
  return (
    <p className="hidden border-t border-hairline pt-3 text-xs text-ink-2 print:block">
      {[name, address, formatPhone(phone), email].join(' · ')}
    </p>
  );
}

function Text({ name, text }: { name: LegalName; text: LegalText }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-16 lg:grid-cols-[minmax(0,1fr)_18rem] print:block">
      <div className="flex min-w-0 flex-col gap-10 print:gap-3 print:text-[10pt] print:leading-normal">
        <LegalBlocks blocks={text.introduction} />
        {text.sections.map((section) => (
          <Part key={section.id} section={section} />
        ))}
        <Related name={name} />
        <OnPaper />
      </div>
      <Contents sections={text.sections} />
    </div>
  );
}

/** Only the page's own document has its text; without it, that document has to be loaded. */
function Missing({ name }: { name: LegalName }) {
  return (
    <div className="flex flex-col items-start gap-4">
      <p>This text comes with its own page, and this is not the page that it came with.</p>
      <Button href={`/${name}`}>Load the page again</Button>
    </div>
  );
}

/** /privacy, /terms and /refunds: the texts of the practice's files of these names. */
export function LegalPage({ name }: { name: LegalName }) {
  const text = useLegalText(name);
  const practice = usePractice();
  const { title, eyebrow } = LEGAL_PAGES[name];
  return (
    <div className="container-page flex flex-col gap-10 py-12 lg:py-16 print:max-w-none print:gap-3 print:p-0">
      <div className="flex flex-col gap-3 print:gap-1">
        <PageHeading
          eyebrow={
            <>
              <span className="hidden print:inline">{`${practice.name} · `}</span>
              {eyebrow}
            </>
          }
          className="print:gap-1 print:[&>h1]:text-[20pt]"
        >
          {title}
        </PageHeading>
        {text ? (
          <p className="text-ink-2">
            Last changed on <time dateTime={text.changed}>{formatLongDate(text.changed)}</time>
          </p>
        ) : null}
      </div>
      {text ? <Text name={name} text={text} /> : <Missing name={name} />}
    </div>
  );
}
