import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice } from '@/lib/practice';
import { HonestLimits } from './honest-limits';
import { Philosophy } from './philosophy';
import { Portrait } from './portrait';
import { Qualifications } from './qualifications';
import { Story } from './story';

function Opening() {
  const { about, practitionerName } = usePractice();
  return (
    <div className="container-page grid items-center gap-x-16 gap-y-10 md:grid-cols-[1.3fr_1fr] lg:gap-x-24">
      <div className="flex flex-col items-start gap-8">
        <PageHeading eyebrow="About Us" lead={about?.introduction}>
          The person who listens
        </PageHeading>
        <div className="flex flex-wrap gap-3">
          <Button to="/services">See our services</Button>
          <Button to="/contact" variant="secondary">
            Ask us something
          </Button>
        </div>
      </div>
      <figure className="flex flex-col gap-4 text-center">
        <Portrait />
        <figcaption>
          <span className="block font-display text-lg font-semibold">{practitionerName}</span>
          <span className="text-sm text-ink-2">Founder & Lead Healer</span>
        </figcaption>
      </figure>
    </div>
  );
}

function Closing() {
  const { practitionerName } = usePractice();
  return (
    <section
      aria-labelledby="meet-title"
      className="container-page flex flex-col items-center gap-6 text-center"
    >
      <h2 id="meet-title" className="text-h2">
        Would you like to meet?
      </h2>
      <p className="measure text-lg text-ink-2">
        See what a session with {practitionerName} is like, how long it lasts and what it costs. You
        see the free times before you sign in.
      </p>
      <Button to="/services" size="lg">
        Find your session
      </Button>
    </section>
  );
}

/** /about: the practitioner, and how sessions are held. */
export function AboutPage() {
  return (
    <div className="flex flex-col gap-16 py-12 lg:gap-24 lg:py-16">
      <Opening />
      <Story />
      <Philosophy />
      <Qualifications />
      <HonestLimits />
      <Closing />
    </div>
  );
}
