import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { Breath } from '@/components/art/motifs';
import { seededNumbers } from '@/components/art/random';
import { Button } from '@/components/ui/button';
import { PageHeading } from '@/components/ui/page-heading';
import { reportMissingPath } from '@/lib/report';

export default function NotFoundPage() {
  const { pathname } = useLocation();
  useEffect(() => reportMissingPath(pathname), [pathname]);
  return (
    <div className="container-page grid items-center gap-10 py-16 md:grid-cols-2">
      <div className="flex flex-col items-start gap-8">
        <PageHeading
          eyebrow="404"
          lead="We couldn't find that page. Take a breath, then pick a way back."
        >
          Oops! Page Not Found
        </PageHeading>
        <div className="flex flex-wrap gap-3">
          <Button to="/">Return to Home</Button>
          <Button to="/services" variant="secondary">
            See our services
          </Button>
        </div>
      </div>
      <svg viewBox="0 0 400 300" aria-hidden="true" className="art art-leaf w-full rounded-panel">
        <Breath next={seededNumbers('not-found')} />
      </svg>
    </div>
  );
}
