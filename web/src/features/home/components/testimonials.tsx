import { type ComponentType, useCallback, useRef } from 'react';
import { LazyNotice } from '@/components/lazy-section';
import { useLazyModule } from '@/lib/use-lazy-module';
import { useInViewport } from '../hooks/use-in-viewport';
import { TestimonialsSkeleton } from './testimonials-skeleton';

type TestimonialsProps = { load: () => Promise<ComponentType> };

/**
 * What people say. The reviews and the calls that read them are fetched when the section comes near;
 * its room is kept for them from the start, so that nothing below it moves.
 */
export function Testimonials({ load }: TestimonialsProps) {
  const section = useRef<HTMLElement>(null);
  const late = useLazyModule(load);
  const { piece: Reviews, failures, fetch } = late;
  useInViewport(
    section,
    useCallback(() => void fetch(), [fetch]),
  );

  return (
    <section
      ref={section}
      aria-labelledby="testimonials-title"
      className="@container flex flex-col gap-8 bg-sunken py-16 lg:py-20"
    >
      <div className="container-page flex flex-col gap-2">
        <h2 id="testimonials-title" className="text-h2">
          What people say
        </h2>
        <p className="measure text-ink-2">
          The latest words of clients whose session we know of, unedited. No one is paid to write.
        </p>
      </div>
      <div className="flex min-h-[31.5rem] flex-col gap-6 lg:min-h-[29.5rem]">
        {Reviews ? <Reviews /> : null}
        {failures > 0 ? (
          <div className="container-page">
            <LazyNotice title="The reviews could not be loaded" late={late} />
          </div>
        ) : null}
        {Reviews || failures > 0 ? null : <TestimonialsSkeleton />}
      </div>
    </section>
  );
}
