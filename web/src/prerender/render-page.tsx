/** Renders one path of the app to HTML. */
import { StrictMode } from 'react';
import { renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router';
import { App } from '@/app/app';
import { documentName, matchPage, type PageMatch } from '@/app/router';
import { ReviewMarks } from '@/features/reviews/components/review-details';
import { getReview } from '@/gen/reviews/v1/get_review_read';
import type { GetReviewResponse } from '@/gen/reviews/v1/reviews_service_pb';
import { complete } from '@/lib/connect-get';
import type { Snapshot } from '@/lib/snapshot';
import { type Marks, markedReview } from './review-words';

export type RenderedPage = { match: PageMatch; documentName: string; html: string };

/** The stars and badges of a review as its page has them. */
export function renderMarks(marks: Marks): string {
  const written = { review: markedReview(marks) };
  const { review } = complete(getReview.answer, written) as GetReviewResponse;
  return review ? renderToString(<ReviewMarks review={review} />) : '';
}

export async function renderPage(path: string, snapshot: Snapshot): Promise<RenderedPage> {
  const match = matchPage(path);
  await match.entry.page.preload();
  const html = renderToString(
    <StrictMode>
      <StaticRouter location={path}>
        <App snapshot={snapshot} />
      </StaticRouter>
    </StrictMode>,
  );
  return { match, documentName: documentName(match), html };
}
