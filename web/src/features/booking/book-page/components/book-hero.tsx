import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { usePractice } from '@/lib/practice';

/** What /book is for, in one look. */
export function BookHero() {
  const { practitionerName } = usePractice();
  return (
    <section className="container-page flex flex-col items-start gap-6 pt-8 sm:pt-12">
      <PageHeading
        eyebrow={`Online sessions with ${practitionerName}`}
        lead="Choose a session and a time that suits you. You see what is free before you sign in."
      >
        Book a Session
      </PageHeading>
      <Button href="#times" variant="secondary" className="lg:hidden">
        See free times
      </Button>
    </section>
  );
}
