/**
 * The document of one review has gaps where the gateway fills in its words (gateway/src/
 * review_page.rs knows them by these names): they can be read before any script has come.
 */
import type { PageHead } from '@/app/page-heads';
import type { Snapshot } from '@/lib/snapshot';
import { REVIEW } from './origin';

const NAME = 'SUKOON-REVIEW-NAME';
const SERVICE = 'SUKOON-REVIEW-SERVICE';
/** The text's first words, for what quotes it. */
const START = 'SUKOON-REVIEW-START';
const ANSWER = 'SUKOON-REVIEW-ANSWER';
const MARKS = '<!--SUKOON-REVIEW-MARKS-->';

/** Marks in the rendered page that are replaced by a gap. */
const PLACED = { rating: 5, verified: true, recent: false };

export type Marks = typeof PLACED;

/** Every rating with every choice of badges, by the names that the gateway looks them up with. */
export function allMarks(): Map<string, Marks> {
  const named = [1, 2, 3, 4, 5].flatMap((rating) =>
    [false, true].flatMap((verified) =>
      [false, true].map((recent): [string, Marks] => {
        const name = `${rating}${verified ? '-verified' : ''}${recent ? '-recent' : ''}`;
        return [name, { rating, verified, recent }];
      }),
    ),
  );
  return new Map(named);
}

/** A review with these marks, as JSON has it. */
export function markedReview({ rating, verified, recent }: Marks) {
  const createdAt = new Date(recent ? Date.now() : 0).toISOString();
  return { reviewId: REVIEW, rating, verified, createdAt };
}

/** The practice with a review to be rendered whose words are the gaps. */
export function withGaps(snapshot: Snapshot): Snapshot {
  const words = { name: NAME, service: SERVICE, text: 'SUKOON-REVIEW-TEXT' };
  return { ...snapshot, review: { review: { ...markedReview(PLACED), ...words } } };
}

/** The same practice as the document carries it. */
export function withAnswerGap(snapshot: Snapshot): Snapshot {
  return { ...snapshot, review: ANSWER };
}

export function headWithGaps(head: PageHead): PageHead {
  return { ...head, title: `${NAME} on ${SERVICE}`, description: START };
}

/** The page with the gap of the marks; they have to be found in it, as they are rendered alone. */
export function marksToGap(html: string, renderMarks: (marks: Marks) => string): string {
  const [before, after, ...more] = html.split(renderMarks(PLACED));
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('The page of a review does not hold its marks once.');
  }
  return `${before}${MARKS}${after}`;
}
