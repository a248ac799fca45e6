/** What the page of an ended booking shows. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { BookingState, PaymentState } from '@/gen/booking/v1/booking_service_pb';
import { DeskWay } from '@/gen/common/v1/money_pb';
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
  expect(screen.getByRole('status').textContent).toContain('it arrives within two weeks of that');
});

test('what was paid at the practice is given back there, and no other promise is made', () => {
  const zone = { timeZone: 'Asia/Kolkata', label: 'IST' };
  for (const [paymentState, words] of [
    [PaymentState.REFUNDING, 'You paid there, so we give it back to you there.'],
    [PaymentState.REFUNDED, 'We have given your money back to you.'],
  ] as const) {
    const booking = bookingFixture({
      state: BookingState.CANCELLED,
      paidAtDesk: DeskWay.CASH,
      paymentState,
    });
    const panel = <EndedPanel booking={booking} zone={zone} verifying={false} onAnew={() => {}} />;
    const { unmount } = renderApp(panel);
    const said = screen.getByRole('status').textContent;
    expect(said).toContain(words);
    expect(said).not.toContain('original payment method');
    unmount();
  }
});
