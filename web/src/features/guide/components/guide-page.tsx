import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { PageHeading } from '@/components/ui/page-heading';
import type { MeditationGuide } from '@/gen/catalogue/v1/catalogue_service_pb';
import { usePractice } from '@/lib/practice';
import { minutesText } from '../guide-messages';
import { useGuide } from '../hooks/use-guide';
import { GuideForm } from './guide-form';
import { GuideProblem } from './guide-problem';
import { GuideSkeleton } from './guide-skeleton';
import { GuideText } from './guide-text';
import { MinuteRing } from './minute-ring';

/** Until the guide is there the page is called by what it is. */
const TITLE = 'Meditation Guide';
const LEAD =
  'A short meditation for an ordinary chair and an ordinary day. Nothing to believe, nothing to ' +
  'buy, and nothing that you could do wrong.';

type Guide = { guide: MeditationGuide | undefined };

function Facts({ guide }: Guide) {
  const facts = guide
    ? [`${guide.steps.length} steps`, minutesText(guide.minutes), 'For beginners']
    : ['For beginners'];
  return (
    <ul className="flex min-h-8 flex-wrap gap-2 print:min-h-0 print:gap-6">
      {facts.map((fact) => (
        <li key={fact}>
          <Badge className="print:bg-transparent print:p-0">{fact}</Badge>
        </li>
      ))}
    </ul>
  );
}

function Hero({ guide }: Guide) {
  const { name } = usePractice();
  return (
    <div className="grid items-center gap-10 md:grid-cols-[1.2fr_1fr]">
      <div className="flex flex-col items-start gap-6 print:gap-1">
        <PageHeading
          eyebrow={
            <>
              <span className="hidden print:inline">{`${name} · `}</span>Meditation guide
            </>
          }
          lead={LEAD}
          className="print:gap-1 print:[&>h1]:text-[22pt] print:[&>h1+p]:hidden"
        >
          {guide?.title ?? TITLE}
        </PageHeading>
        <Facts guide={guide} />
        <div className="flex flex-wrap gap-3 pt-2 print:hidden">
          <Button href="#by-mail">Have it sent to you</Button>
          <Button variant="secondary" disabled={!guide} onClick={() => window.print()}>
            Print
          </Button>
        </div>
      </div>
      <div className="art art-leaf grid place-items-center rounded-panel p-4 max-md:order-first md:p-6 print:hidden">
        <MinuteRing steps={guide?.steps ?? []} className="w-full max-w-40 md:max-w-80" />
      </div>
    </div>
  );
}

function ByMail() {
  return (
    <Card className="flex flex-col gap-5 rounded-panel">
      <div className="flex flex-col gap-2">
        <h2 id="by-mail-title" className="text-h3">
          Keep it in your inbox
        </h2>
        <p className="text-ink-2">
          The whole guide in one mail, for the morning on which you need it.
        </p>
      </div>
      <GuideForm />
    </Card>
  );
}

/** /meditation-guide: to read, to print, or to be sent by mail. */
export function GuidePage() {
  const { guide, error, retry } = useGuide();
  return (
    <div className="container-page flex flex-col gap-14 py-12 lg:py-16 print:max-w-none print:gap-3 print:p-0">
      <Hero guide={guide} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-16 gap-y-14 lg:grid-cols-[minmax(0,1fr)_22rem] print:block">
        <div className="min-w-0">
          {guide ? <GuideText guide={guide} /> : null}
          {!guide && error ? <GuideProblem error={error} onRetry={retry} /> : null}
          {!guide && !error ? <GuideSkeleton /> : null}
        </div>
        <aside
          id="by-mail"
          aria-labelledby="by-mail-title"
          className="scroll-mt-28 lg:sticky lg:top-28 lg:self-start print:hidden"
        >
          <ByMail />
        </aside>
      </div>
    </div>
  );
}
