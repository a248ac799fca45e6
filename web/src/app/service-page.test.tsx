/** What a service's own page shows at its head: its video, or the drawn picture. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import ServicePage from './routes/service';

function open(change: { videoUrl?: string } = {}): void {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) Object.assign(service, change);
  const page = (
    <main>
      <ServicePage params={{ serviceId: 'meditation' }} />
    </main>
  );
  renderApp(page, { path: '/service/meditation', snapshot });
}

const cover = () => screen.queryByRole('button', { name: /^Play video: Meditation/ });

test('a service with a video has its cover', () => {
  open();
  expect(cover()).not.toBeNull();
});

test('a service without a video keeps its drawn picture', async () => {
  open({ videoUrl: '' });
  expect(cover()).toBeNull();
  expect(document.querySelector('main svg.art')).not.toBeNull();
  await expectAccessible();
});
