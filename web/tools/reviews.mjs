/** The reviews that the tools of this folder show, written and read by the public calls. */

const REVIEWS = [
  ['Meera Joshi', 'Mental Health Therapy', 5, 'I came with three questions and left with a plan.'],
  ['Arjun Rao', 'Meditation & Mindfulness', 4, 'Half an hour of quiet that I can repeat at home.'],
  [
    'Sunita Kulkarni',
    'Energy Healing',
    5,
    'Nobody hurried me. We began with what was heavy that week, and only then came the practice ' +
      'itself. I sleep better since, and I know what to do on the days when I do not.',
  ],
];

async function ask(site, method, body) {
  const answer = await fetch(`${site}/rpc/reviews.v1.ReviewsService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/**
 * Publishes a few invented reviews. They are public, so they go only into a practice that was
 * started for a look, never into a real one: tools/with-practice.mjs calls this.
 */
export async function writeReviews(site) {
  for (const [name, service, rating, text] of REVIEWS) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    const idempotencyKey = `picture-of-${email}`;
    await ask(site, 'SubmitReview', { name, email, service, rating, text, idempotencyKey });
  }
}

/** The path of a public review; nothing where there is none. */
export async function newestReview(site) {
  const { reviews = [] } = await ask(site, 'ListReviews', { pageSize: 1 });
  return reviews.length > 0 ? `/reviews/${reviews[0].reviewId}` : undefined;
}
