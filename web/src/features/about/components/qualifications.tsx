import { usePractice } from '@/lib/practice';

/** What speaks for the founder, in the practice's own order. */
export function Qualifications() {
  const { about, practitionerName } = usePractice();
  if (!about || about.qualifications.length === 0) return null;
  return (
    <section aria-labelledby="trust-title" className="container-page flex flex-col gap-8">
      <h2 id="trust-title" className="text-h2">
        {practitionerName}'s training and experience
      </h2>
      <ul className="grid gap-x-10 gap-y-8 sm:grid-cols-2 lg:grid-cols-4">
        {about.qualifications.map(({ title, description }) => (
          <li key={title} className="flex flex-col gap-2 border-t-2 border-brand pt-5">
            <h3 className="text-h3">{title}</h3>
            <p className="text-ink-2">{description}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
