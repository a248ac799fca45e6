import { usePractice } from '@/lib/practice';

/** The founder's story, in the founder's words. */
export function Story() {
  const { about, name, practitionerName } = usePractice();
  if (!about || about.story.length === 0) return null;
  const [first, ...rest] = about.story;
  return (
    <section
      aria-labelledby="story-title"
      className="container-page grid gap-x-16 gap-y-6 lg:grid-cols-[1fr_1.9fr]"
    >
      <h2 id="story-title" className="text-h2 lg:sticky lg:top-28 lg:self-start">
        How {name} began
      </h2>
      <div className="flex max-w-[64ch] flex-col gap-5">
        <p className="font-display text-h3 leading-normal font-normal">{first}</p>
        {rest.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        <p className="pt-1 font-display text-lg font-semibold text-brand">{practitionerName}</p>
      </div>
    </section>
  );
}
