/** The welcome page, element by element. */
import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expectTrouble, RPC, reviewAnswer, standIn } from './support/answers';
import { look } from './support/look';
import { newPerson } from './support/people';
import { writeReview } from './support/rpc';
import { expect, test } from './support/test';
import { refusal } from './support/watch';
import { dayOf } from './support/written';

const QUIZ_BUTTON = 'Take the 90-second quiz';

const FIGURES = [
  ['200+', 'Happy clients'],
  ['15+', 'Years experience'],
  ['4.9', 'Average rating'],
  ['500+', 'Lives transformed'],
] as const;

const FEATURED = [
  {
    id: 'mental-health',
    title: 'Mental Health Therapy',
    duration: '50-60 minutes',
    price: '₹1,500',
  },
  { id: 'energy-healing', title: 'Energy Healing', duration: '45-60 minutes', price: '₹700' },
  { id: 'meditation', title: 'Meditation & Mindfulness', duration: '30-45 minutes', price: '₹750' },
] as const;

const LONG = 'I came without words and left with a plan for the week. '.repeat(4).trim();

type Settings = { practitionerName: string; about: { introduction: string; philosophy: string } };

/** What the practice says of itself, as the document was written with it. */
async function settings(page: Page): Promise<Settings> {
  const json = await page.locator('#practice-data').textContent();
  return (JSON.parse(json ?? '') as { practice: Settings }).practice;
}

function part(page: Page, name: string): Locator {
  return page.getByRole('region', { name });
}

function people(page: Page): Locator {
  return part(page, 'What people say');
}

/** Brings the testimonials near, so that they are read. */
async function openWithPeople(page: Page): Promise<Locator> {
  await page.goto('/');
  await page.getByRole('heading', { name: 'What people say' }).scrollIntoViewIfNeeded();
  return people(page);
}

test('the hero promises mental clarity in 90 seconds, and its button opens the quiz @phone', async ({
  page,
}) => {
  await page.goto('/');
  const title = page.getByRole('heading', { level: 1, name: /mental clarity in 90 seconds/i });
  await expect(title).toBeInViewport();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  const button = page.getByRole('button', { name: QUIZ_BUTTON });
  await expect(button).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('link', { name: 'Browse all services' })).toHaveAttribute(
    'href',
    '/services',
  );
  await look(page, 'home');
  await button.press('Enter');
  const quiz = page.getByRole('dialog');
  await expect(quiz.getByRole('button', { name: 'Start Your Assessment' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(quiz).toBeHidden();
  await expect(button).toBeFocused();
});

test('a quiz that cannot be fetched says so and takes nothing away', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  await page.goto('/');
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  await page.getByRole('button', { name: QUIZ_BUTTON }).press('Enter');
  await expect(page.getByText('The quiz did not open')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await look(page, 'home-quiz-away');
});

test('the statistics strip shows the four figures of the practice @phone', async ({ page }) => {
  // Figures that are counted from reviews are tested in shop-window.spec.ts.
  await standIn(page, RPC.statistics, {});
  await page.goto('/');
  const strip = part(page, 'Sukoon in figures');
  await expect(strip.getByRole('term')).toHaveText(FIGURES.map(([, label]) => label));
  await expect(strip.getByRole('definition')).toHaveText(FIGURES.map(([value]) => value));
});

test('the founder section names her, quotes her and leads to the about page @phone', async ({
  page,
}) => {
  await page.goto('/');
  const { practitionerName, about } = await settings(page);
  const founder = part(page, practitionerName);
  await expect(founder.getByText('Founder & Lead Healer')).toBeVisible();
  await expect(founder.getByText(about.introduction)).toBeVisible();
  await expect(founder.getByRole('blockquote')).toHaveText(`“${about.philosophy}”`);
  await founder.getByRole('link', { name: /story$/ }).click();
  await expect(page).toHaveURL(/\/about$/);
});

test('a portrait of the practice’s own takes the place of the drawn one, unless it fails', async ({
  page,
  complaints,
}) => {
  complaints.expect(refusal('/media/portrait.jpg'));
  const about = { introduction: 'She listens.', philosophy: 'Less hurry.' };
  const photo = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64');
  let there = true;
  await page.route('**/media/portrait.jpg', (route) =>
    there
      ? route.fulfill({ contentType: 'image/gif', body: photo })
      : route.fulfill({ status: 404 }),
  );
  await page.route(`**${RPC.catalogue}GetPractice**`, async (route) => {
    const answer = await route.fetch();
    const said = (await answer.json()) as { practice: object };
    const practice = { ...said.practice, about: { ...about, portraitUrl: '/media/portrait.jpg' } };
    await route.fulfill({ json: { ...said, practice } });
  });
  await page.goto('/');
  const portrait = part(page, 'Meera Joshi').getByRole('img', { name: 'Meera Joshi' });
  await portrait.scrollIntoViewIfNeeded();
  await expect(portrait).toHaveAttribute('width', '480');
  await expect
    .poll(() => portrait.evaluate((image) => (image as HTMLImageElement).naturalWidth))
    .toBe(1);
  there = false;
  await page.goto('/');
  await expect(part(page, 'Meera Joshi').getByText('She listens.')).toBeVisible();
  await page.getByRole('heading', { name: 'Meera Joshi' }).scrollIntoViewIfNeeded();
  await expect(portrait).toBeHidden();
});

test('Our Healing Services: three cards, each opens its dialog @phone', async ({ page }) => {
  await page.goto('/');
  const services = part(page, 'Our Healing Services');
  await expect(services.getByRole('article')).toHaveCount(FEATURED.length);
  for (const [index, { id, title, duration, price }] of FEATURED.entries()) {
    const card = services.getByRole('article').nth(index);
    await expect(card).toContainText(price);
    await expect(card).not.toContainText('per session');
    const opener = card.getByRole('button', { name: title });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: title });
    await expect(dialog.getByRole('heading', { name: title })).toBeVisible();
    await expect(dialog.locator('svg').first()).toBeVisible();
    await expect(dialog.getByText('Duration')).toBeVisible();
    await expect(dialog.getByText(duration)).toBeVisible();
    await expect(dialog.getByText('Price')).toBeVisible();
    await expect(dialog.getByText(price)).toBeVisible();
    await expect(dialog.getByRole('heading', { name: "What's Included" })).toBeVisible();
    await expect(dialog.getByRole('listitem')).toHaveCount(4);
    await expect(dialog.getByText('Important')).toHaveCount(0);
    await expect(dialog.getByText('and are not medical treatment.')).toBeVisible();
    // The footer, which says it on every page, is out of reach behind a modal dialog.
    const help = dialog.getByText('Need help right now?');
    await expect(help).toHaveCount(id === 'mental-health' ? 1 : 0);
    await expect(dialog.getByRole('link', { name: 'View Full Details' })).toHaveAttribute(
      'href',
      `/service/${id}`,
    );
    await expect(dialog.getByRole('link', { name: 'Book Session' })).toHaveAttribute(
      'href',
      `/book?service=${id}`,
    );
    if (index === 0) await look(page, 'home-service-dialog');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    await expect(opener).toBeFocused();
  }
  await services.getByRole('link', { name: 'View All Services' }).click();
  await expect(page).toHaveURL(/\/services$/);
});

test('Quick Answers: four items, each opens by itself and several at once @phone', async ({
  page,
}) => {
  await page.goto('/');
  const answers = part(page, 'Quick Answers');
  const items = answers.locator('details');
  await expect(items).toHaveCount(4);
  const [first, second] = [items.nth(0), items.nth(1)];
  await first.locator('summary').click();
  await second.locator('summary').press('Enter');
  await expect(first.locator('p')).toBeVisible();
  await expect(second.locator('p')).toBeVisible();
  await look(page, 'home-answers');
  await first.locator('summary').click();
  await expect(first.locator('p')).toBeHidden();
  await expect(second.locator('p')).toBeVisible();
  await answers.getByRole('link', { name: 'View All Questions' }).click();
  await expect(page).toHaveURL(/\/faq$/);
});

/** Three verified reviews, the first of them with these facts. */
function three(first: object = {}): object {
  const ids = [7, 8, 9].map((number) => `rvw_${String(number).padStart(32, '0')}`);
  const reviews = ids.map((reviewId) => reviewAnswer({ reviewId, verified: true }));
  return { reviews: [{ ...reviews[0], ...first }, ...reviews.slice(1)] };
}

test('testimonials: what anyone may write is no card, however much of it there is', async ({
  page,
  practice,
}) => {
  const written = await writeReview(practice.url, newPerson('Kavya'), LONG);
  const testimonials = await openWithPeople(page);
  await expect(testimonials.getByText('three clients have written')).toBeVisible();
  await expect(testimonials.getByRole('article')).toHaveCount(0);
  await testimonials.getByRole('link', { name: 'Read all reviews' }).click();
  const card = page.getByRole('article', { name: `Review by ${written.name}` });
  await expect(card.first()).toBeVisible();
});

test('testimonials: a verified review is a card that leads to all of it @phone', async ({
  page,
  practice,
}) => {
  const letters = [...randomBytes(6)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  const person = { ...newPerson('Kavya'), lastName: `H${letters.join('')}` };
  const written = await writeReview(practice.url, person, LONG);
  const { reviewId, name } = written;
  const writtenAt = new Date();
  await standIn(page, RPC.listReviews, three({ reviewId, name, rating: 4, text: LONG }));
  const testimonials = await openWithPeople(page);
  const card = testimonials.getByRole('article', { name: `Review by ${written.name}` });
  await expect(card.getByRole('img', { name: '4 stars of 5' })).toBeVisible();
  await expect(card.getByText('User Review')).toBeVisible();
  await expect(card.getByText(`${LONG.slice(0, 120)}...`)).toBeVisible();
  await expect(card.getByText('Energy Healing')).toBeVisible();
  await expect(card.getByText(dayOf(writtenAt))).toBeVisible();
  expect(await testimonials.getByRole('article').count()).toBeLessThanOrEqual(6);
  await look(page, 'home-testimonials');
  await card.getByRole('link', { name: /^Read Full Review/ }).click();
  await expect(page).toHaveURL(new RegExp(`/reviews/${written.reviewId}$`));
  await expect(page.getByText(LONG)).toBeVisible();
});

/** Waits until a row has stopped: a smooth scroll that goes on ends what a focus begins. */
function atRest(card: Locator): Promise<void> {
  return card.evaluate(
    (one) =>
      new Promise((done) => {
        let before = Number.NaN;
        let same = 0;
        const look = () => {
          const now = one.getBoundingClientRect().left;
          same = now === before ? same + 1 : 0;
          before = now;
          if (same >= 10) done();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

test('testimonials: six cards in a row that moves, in a room that was kept for them @phone', async ({
  page,
  complaints,
}) => {
  complaints.expect(refusal('/pictures/gone.webp'));
  await page.route('**/pictures/gone.webp', (route) => route.fulfill({ status: 404 }));
  const desk = await standIn(page, RPC.listReviews, 'wait');
  const testimonials = await openWithPeople(page);
  await expect(testimonials.locator('[aria-busy="true"]')).toBeVisible();
  const below = part(page, "You don't have to carry it alone");
  const top = () => below.evaluate((one) => one.getBoundingClientRect().top + window.scrollY);
  const before = await top();
  const image = { path: '/pictures/gone.webp', smallPath: '/pictures/gone.webp' };
  const reviews = [1, 2, 3, 4, 5, 6].map((number) =>
    reviewAnswer({
      reviewId: `rvw_${String(number).padStart(32, '0')}`,
      name: `Writer ${number}`,
      text: LONG,
      ...(number === 1 ? { image: { ...image, width: 800, height: 600 } } : {}),
    }),
  );
  desk.answer({ reviews });
  const cards = testimonials.getByRole('article');
  await expect(cards).toHaveCount(6);
  await expect(testimonials.getByRole('img', { name: 'Photo from Writer 1' })).toHaveCount(0);
  expect(await top()).toBe(before);

  await expect(cards.last()).not.toBeInViewport();
  for (let press = 0; press < 5; press += 1) {
    await testimonials.getByRole('button', { name: 'Show the next reviews' }).click();
  }
  await testimonials.getByRole('button', { name: 'Show the reviews before' }).click();
  await atRest(cards.first());
  const links = testimonials.getByRole('link', { name: /^Read Full Review/ });
  await links.last().focus();
  await expect(links.last()).toBeInViewport({ ratio: 1 });
  await links.first().focus();
  await expect(links.first()).toBeInViewport({ ratio: 1 });
});

test('testimonials: nobody has written yet @phone', async ({ page }) => {
  await standIn(page, RPC.listReviews, {});
  const testimonials = await openWithPeople(page);
  await expect(testimonials.getByText('three clients have written')).toBeVisible();
  await look(page, 'home-no-testimonials');
  await testimonials.getByRole('link', { name: 'Write a review' }).click();
  await expect(page).toHaveURL(/\/reviews#write$/);
});

test('testimonials: what fails says so, and trying again helps', async ({ page, complaints }) => {
  expectTrouble(complaints, RPC.listReviews);
  const desk = await standIn(page, RPC.listReviews, 'refuse');
  const testimonials = await openWithPeople(page);
  await expect(testimonials.getByText('The reviews could not be loaded')).toBeVisible();
  await expect(testimonials).not.toContainText('This part is away.');
  await look(page, 'home-testimonials-away');
  desk.answer(three());
  await testimonials.getByRole('button', { name: 'Try again' }).click();
  await expect(testimonials.getByRole('article')).toHaveCount(3);
});

test('testimonials: without a network the page stays, and they come with it', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/);
  await standIn(page, RPC.listReviews, three());
  await page.goto('/');
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  await page.getByRole('heading', { name: 'What people say' }).scrollIntoViewIfNeeded();
  const testimonials = people(page);
  await expect(testimonials.getByText('The reviews could not be loaded')).toBeVisible();
  await look(page, 'home-offline');
  await context.setOffline(false);
  await expect(testimonials.getByRole('article')).toHaveCount(3);
});

test('the closing call leads to the services', async ({ page }) => {
  await page.goto('/');
  const closing = part(page, "You don't have to carry it alone");
  await closing.getByRole('link', { name: 'Find your session' }).click();
  await expect(page).toHaveURL(/\/services$/);
});

test('all of it but the reviews can be read before any script runs', async ({
  browser,
  contextOptions,
  practice,
}) => {
  const context = await browser.newContext({
    ...contextOptions,
    baseURL: practice.url,
    javaScriptEnabled: false,
  });
  const page = await context.newPage();
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
  await expect(page.getByRole('button', { name: QUIZ_BUTTON })).toBeVisible();
  for (const [value] of FIGURES) await expect(page.getByText(value).first()).toBeVisible();
  await expect(page.getByRole('blockquote')).toBeVisible();
  const answer = page.locator('details').first();
  await answer.locator('summary').click();
  await expect(answer.locator('p')).toBeVisible();
  await context.close();
});
