import { screen, waitFor } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { NextBill } from '@/lib/api/types';
import {
  ENDING,
  makeFailedPayment,
  makeGospelPlan,
  makeNextBill,
  makePaymentFailure,
  makePayments,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import { NextBillCard } from './NextBillCard';

const renderCard = (...bills: NextBill[]) =>
  renderScreen(<NextBillCard bills={bills} plans={[makePlan()]} />);

// shows: rule-21
describe('the next bill', () => {
  it('has its amount, day and payment method, and what follows', () => {
    renderCard(
      makeNextBill({ amount: 559 }),
      makeNextBill({ date: '2027-01-10T15:00:00Z', follows: true, tax: 'before' }),
    );
    const card = screen.getByRole('region', { name: 'Your next bill' });
    expect(card).toHaveTextContent(/\$5\.59 on Thursday, December 10, in \d+ days/);
    expect(card).toHaveTextContent('From January 10, 2027: $6.99 / month and applicable taxes');
    expect(card).toHaveTextContent('To Visa •••• 1111');
    expect(screen.getByRole('link', { name: 'Change payment method' })).toBeVisible();
  });

  it('says what credits pay, also without a bill', () => {
    const { unmount } = renderScreen(
      <NextBillCard
        bills={[makeNextBill({ amount: 199 })]}
        plans={[makePlan()]}
        creditBalance={500}
      />,
    );
    const card = () => screen.getByRole('region', { name: 'Your next bill' });
    expect(card()).toHaveTextContent(
      'You have $5.00 in credit. The amounts shown already count it.',
    );
    unmount();
    renderScreen(<NextBillCard bills={[]} plans={[]} creditBalance={500} creditCurrency="EUR" />);
    expect(card()).toHaveTextContent('It pays your next bills automatically.');
  });

  it('does not deny what is overdue where no other bill comes', async () => {
    const failure = makePaymentFailure({ failedPayments: [makeFailedPayment()] });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderScreen(<NextBillCard bills={[]} plans={[makePlan(ENDING)]} />);
    expect(
      await screen.findByText('You won’t be billed again, except for the $6.99 you still owe.'),
    ).toBeVisible();
  });

  it('keeps a place beside the date until the amount has come', () => {
    renderCard(makeNextBill({ amount: null }));
    const card = screen.getByRole('region', { name: 'Your next bill' });
    expect(card.querySelector('.skeleton')).toBeInTheDocument();
    expect(card).toHaveTextContent('on Thursday, December 10');
    expect(card).not.toHaveTextContent('$');
  });

  it('adds up the bills of one day and payment method', () => {
    const gospel = { plans: ['sub_gospel'], planNames: ['Gospel TV'] };
    renderCard(
      makeNextBill({ amount: 629 }),
      makeNextBill({ ...gospel, amount: 719 }),
      makeNextBill({ ...gospel, amount: 799, date: '2027-01-10T15:00:00Z', follows: true }),
    );
    const card = screen.getByRole('region', { name: 'Your next bill' });
    expect(card).toHaveTextContent(/\$13\.48 on Thursday, December 10/);
    expect(card).toHaveTextContent('Faith & Family $6.29, Gospel TV $7.19');
    expect(card).toHaveTextContent('From January 10, 2027: Gospel TV $7.99 / month');
  });

  it('names the plans of several bills', async () => {
    renderCard(
      makeNextBill(),
      makeNextBill({ amount: 719, planNames: ['Gospel TV'], paymentSource: null }),
    );
    const card = screen.getByRole('region', { name: 'Your next bills' });
    expect(card).toHaveTextContent('$6.99 for Faith & Family on Thursday');
    const byHand = /\$7\.19 for Gospel TV on Thursday.*Not charged automatically/;
    await waitFor(() => expect(card).toHaveTextContent(byHand));
  });

  it('asks for a payment method if the account has none', async () => {
    server.use(http.get('*/api/payments/', () => HttpResponse.json(makePayments({ card: [] }))));
    renderCard(makeNextBill({ paymentSource: null }));
    expect(await screen.findByText('No payment method yet')).toBeVisible();
    expect(screen.getByRole('link', { name: 'Add a payment method' })).toBeVisible();
  });

  it.each([
    ['load', () => delay('infinite')],
    ['cannot be loaded', () => errorResponse(503, 'temporarily_unavailable', 'Try again.')],
  ])('denies no payment method while the methods %s', async (_what, reply) => {
    const answer = vi.fn(reply);
    server.use(http.get('*/api/payments/', answer));
    renderCard(makeNextBill({ paymentSource: null }));
    await waitFor(() => expect(answer).toHaveBeenCalled());
    expect(screen.queryByText('No payment method yet')).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Change payment method' })).toBeVisible();
  });

  it('is followed only by what its own plan costs, also if another has its name', () => {
    const later = { amount: 899, follows: true };
    const other = { plans: ['sub_other'] };
    renderCard(
      makeNextBill({ amount: 599 }),
      makeNextBill({ ...later, date: '2027-01-10T15:00:00Z' }),
      makeNextBill({ ...other, amount: 499, date: '2026-12-20T15:00:00Z' }),
      makeNextBill({ ...other, ...later, date: '2027-01-20T15:00:00Z' }),
    );
    const card = screen.getByRole('region', { name: 'Your next bills' });
    expect(card.textContent?.match(/From /g)).toHaveLength(2);
    expect(card).toHaveTextContent(/From January 10.*\$4\.99.*From January 20/);
  });

  it('may not come', () => {
    renderCard();
    expect(screen.getByText('You won’t be billed again.')).toBeVisible();
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });

  it.each([
    ['is paused until it is resumed', PAUSED],
    ['pauses until it is resumed', PAUSE_SCHEDULED],
  ])('is not ruled out while a plan %s', (_case, overrides) => {
    const paused = makePlan({ ...overrides, resumeDate: null });
    renderScreen(<NextBillCard bills={[]} plans={[paused, makeGospelPlan(ENDING)]} />);
    expect(screen.getByText('No bill is scheduled.')).toBeVisible();
    expect(screen.queryByText(/You won’t be billed/)).not.toBeInTheDocument();
  });
});
