/** What the page of an ended booking shows. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { practiceFixture } from '@/testing/practice-fixture';
import { renderApp } from '@/testing/render-app';
import { EndedPanel } from './ended-panel';

test('how long the money takes is for the practice to say', () => {
  const snapshot = practiceFixture();
  snapshot.practice.refundDaysText = 'two weeks';
  const booking = bookingFixture({
    state: BookingState.CANCELLED,
    paymentState: PaymentState.REFUNDING,
  });
  const zone = { timeZone: 'Asia/Kolkata', label: 'IST' };
  const panel = <EndedPanel booking={booking} zone={zone} verifying={false} onAnew={() => {}} />;
  renderApp(panel, { snapshot });
  expect(screen.getByRole('status').textContent).toContain(
    'original payment method, within two weeks, and',
  );
});
