import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  findCard,
  renderDashboard,
  serveDashboard,
  served,
} from '@/features/dashboard/dashboardWorld';
import { makeCard, makeGospelPlan, makeNextBill, makePayments, PAUSED } from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';

beforeEach(serveDashboard);

describe('resuming a paused plan', () => {
  const FIGURES = {
    resumeDate: '2026-11-20T12:00:00Z',
    amountDue: 719,
    charges: [719],
    currencyCode: 'USD',
    quote: 'quote-1',
    nextBills: [makeNextBill({ date: '2026-12-20T12:00:00Z', amount: 719 })],
  };
  let requests: { subscriptionId: string[]; quote: string }[] = [];

  function answerResumed(): Response {
    served.plans = [makeGospelPlan()];
    return HttpResponse.json({ plans: served.plans });
  }

  function answerResume(...refusals: (() => Response)[]) {
    server.use(
      http.post('*/api/account/resume', async ({ request }) => {
        requests.push((await request.json()) as (typeof requests)[number]);
        return (refusals.shift() ?? answerResumed)();
      }),
    );
  }

  function answerEstimate(answer: () => Response | Promise<void>) {
    server.use(
      http.get('*/api/account/resume/estimate', ({ request }) => {
        expect(new URL(request.url).search).toBe('?subscriptionId=sub_gospel');
        return answer();
      }),
    );
  }

  beforeEach(() => {
    requests = [];
    served.plans = [makeGospelPlan(PAUSED)];
    answerEstimate(() => HttpResponse.json(FIGURES));
    answerResume();
  });

  async function openResumeDialog() {
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Resume now Gospel TV' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Resume Gospel TV now?' }));
    return { user, dialog };
  }

  it.each([
    ['can be paused again', true, 'You can pause or cancel it anytime.'],
    ['can only be canceled', false, 'You can cancel it anytime.'],
  ])('promises no other pause than there is: the plan %s', async (_what, isChangeable, promise) => {
    served.plans = [makeGospelPlan({ ...PAUSED, isChangeable })];
    server.use(
      http.post('*/api/account/resume', () => {
        served.plans = [makeGospelPlan({ isChangeable })];
        return HttpResponse.json({ plans: served.plans });
      }),
    );
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await screen.findByText(promise)).toBeVisible();
  });

  // shows: rule-3, dashboard-2, api-19, api-20
  it('shows the amount before charging it', async () => {
    const { user, dialog } = await openResumeDialog();
    const pay = await dialog.findByRole('button', { name: 'Resume and pay $7.19' });
    expect(dialog.getByText(/^Your next bill/)).toHaveTextContent(
      'Your next bill for Faith & Family is $7.19 on December 20, 2026.',
    );
    await user.click(pay);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests).toEqual([{ subscriptionId: ['sub_gospel'], quote: 'quote-1' }]);
    expect(await findCard('Gospel TV')).toHaveTextContent('Active');
    expect(
      await screen.findByText(
        'Gospel TV is active again. $7.19 was charged today, taxes included.',
      ),
    ).toBeInTheDocument();
  });

  it('keeps the focus in its dialog when the amount comes at a second try', async () => {
    answerEstimate(() => errorResponse(502, 'billing_unavailable', 'No figures came.'));
    const { user, dialog } = await openResumeDialog();
    const tryAgain = await dialog.findByRole('button', { name: 'Try again' });
    answerEstimate(() => HttpResponse.json(FIGURES));
    await user.click(tryAgain);
    await dialog.findByRole('button', { name: 'Resume and pay $7.19' });
    expect(dialog.getByRole('heading', { name: 'Resume Gospel TV now?' })).toHaveFocus();
  });

  it('names the card of a plan that is paused until it is resumed', async () => {
    const method = makeNextBill().paymentSource;
    const bill = {
      plans: ['sub_gospel'],
      planNames: ['Gospel TV'],
      paymentSource: method && { ...method, paymentSourceId: 'pm_other' },
    };
    served.plans = [makeGospelPlan({ ...PAUSED, resumeDate: null })];
    served.costs = { nextBills: [] };
    answerEstimate(() => HttpResponse.json({ ...FIGURES, nextBills: [makeNextBill(bill)] }));
    server.use(
      http.get('*/api/payments/', () =>
        HttpResponse.json(
          makePayments({
            card: [
              makeCard(),
              makeCard({
                paymentSourceId: 'pm_other',
                primaryPaymentSource: false,
                brand: 'MASTERCARD',
                maskedNumber: '************4444',
              }),
            ],
          }),
        ),
      ),
    );
    const { dialog } = await openResumeDialog();
    expect(
      await dialog.findByText('taxes included, charged to Mastercard ending in 4444'),
    ).toBeVisible();
  });

  it('cannot be confirmed while the amount loads', async () => {
    answerEstimate(() => delay('infinite'));
    const { dialog } = await openResumeDialog();
    expect(dialog.getByText('Calculating your total…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
  });

  it('says when nothing is charged, be it within the paid term or paid by credit', async () => {
    answerEstimate(() => HttpResponse.json({ ...FIGURES, amountDue: 0, charges: [] }));
    const { dialog } = await openResumeDialog();
    expect(
      await dialog.findByText(
        'You can watch Gospel TV again right away. You won’t be charged today.',
      ),
    ).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeEnabled();
  });

  it('charges nothing when dismissed', async () => {
    const { user, dialog } = await openResumeDialog();
    await user.click(dialog.getByRole('button', { name: 'Not now' }));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Resume now Gospel TV' })).toHaveFocus();
    expect(requests).toEqual([]);
  });

  it('shows a changed amount and asks again', async () => {
    answerResume(() =>
      errorResponse(409, 'quote_changed', 'The amount has changed.', {
        extra: { ...FIGURES, amountDue: 799, charges: [799], quote: 'quote-2' },
      }),
    );
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Resume and pay $7.99' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(requests.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  it('says that nothing was changed if the payment fails', async () => {
    answerResume(() =>
      errorResponse(
        402,
        'payment_processing_failed',
        "We couldn't process your payment, so nothing was changed.",
      ),
    );
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByRole('alert')).toHaveTextContent('so nothing was changed');
    expect(await findCard('Gospel TV')).toHaveTextContent('Paused');
    await user.click(await dialog.findByRole('button', { name: 'Confirm with your bank' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('operationType=SETPRIMARY');
  });

  it('links to add a payment method if only that is missing', async () => {
    answerResume(() => errorResponse(402, 'payment_method_required', 'Add a payment method.'));
    const { user, dialog } = await openResumeDialog();
    await user.click(await dialog.findByRole('button', { name: 'Resume and pay $7.19' }));
    expect(await dialog.findByRole('link', { name: 'Add a payment method' })).toHaveAttribute(
      'href',
      '/add-payment-method',
    );
  });

  it('charges nothing while the amount is unknown, and retries', async () => {
    answerEstimate(() => errorResponse(503, 'billing_unavailable', 'Our billing service is away.'));
    const { user, dialog } = await openResumeDialog();
    expect(await dialog.findByRole('alert')).toHaveTextContent('Our billing service is away.');
    expect(dialog.getByRole('button', { name: 'Resume now' })).toBeDisabled();
    answerEstimate(() => HttpResponse.json(FIGURES));
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByRole('button', { name: 'Resume and pay $7.19' })).toBeEnabled();
  });
});
