import { screen, waitFor, within } from '@testing-library/react';
import { delay, HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import { useCart } from '@/stores/cart';
import {
  ENDING,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makePayments,
  makePlan,
  makeServicesChange,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';
import {
  BUNDLE,
  CHANGE,
  ESTIMATE,
  findCheckbox,
  GOSPEL_REMOVED,
  KIDS_ADDED,
  PLANS,
  renderManagePage,
} from './renderManagePage';

describe('saving', () => {
  let sent: { planIds: string[]; quote: string }[] = [];
  let answers: (() => Response | Promise<Response>)[] = [];

  beforeEach(() => {
    sent = [];
    answers = [];
    server.use(
      http.post(ESTIMATE, () => HttpResponse.json(KIDS_ADDED)),
      http.post(CHANGE, async ({ request }) => {
        sent.push((await request.json()) as (typeof sent)[number]);
        const answer = answers.shift() ?? (() => HttpResponse.json(KIDS_ADDED));
        return answer();
      }),
    );
  });

  async function openSaveDialog(name = 'Kids') {
    const { user } = renderManagePage(BUNDLE);
    await user.click(await findCheckbox(name));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Save your changes?' }));
    return { user, dialog };
  }

  it('keeps the plans to add where the payment method is gone', async () => {
    answers = [() => errorResponse(409, 'payment_method_required', 'Add a payment method first.')];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: 'Yes, add Kids and pay $7.64' }));
    expect(await dialog.findByRole('link', { name: 'Add a payment method' })).toHaveAttribute(
      'href',
      '/add-payment-method?add=Minno-Plan',
    );
  });

  // shows: api-11
  it('charges nothing before confirmation, and then once', async () => {
    const { user, dialog } = await openSaveDialog();
    const confirm = await dialog.findByRole('button', { name: 'Yes, add Kids and pay $7.64' });
    expect(dialog.getByText('You’re adding Kids.')).toBeInTheDocument();
    expect(dialog.queryByRole('heading', { name: 'Warning' })).not.toBeInTheDocument();
    expect(sent).toEqual([]);
    await user.dblClick(confirm);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=adjust_subscription',
    );
    expect(sent).toEqual([
      { planIds: ['faith-family-plan', 'gospel-tv-plan', 'Minno-Plan'], quote: 'quote-1' },
    ]);
    expect(useCart.getState().planLoaded).toBe(false);
  });

  it('warns about a removal with plan and date', async () => {
    server.use(http.post(ESTIMATE, () => HttpResponse.json(GOSPEL_REMOVED)));
    answers = [() => HttpResponse.json(GOSPEL_REMOVED)];
    const { user, dialog } = await openSaveDialog('Gospel TV');
    const confirm = await dialog.findByRole('button', { name: 'Yes, remove Gospel TV' });
    expect(dialog.getByRole('heading', { name: 'Warning' })).toBeInTheDocument();
    expect(
      dialog.getByText(
        'Your access to Gospel TV will end at the end of your billing cycle, December 4, 2026.',
      ),
    ).toBeInTheDocument();
    await user.click(confirm);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/summary?action=remove_service',
    );
  });

  it('says what the removed plan has scheduled', async () => {
    const gospel = makeGospelPlan(PAUSE_SCHEDULED);
    server.use(http.post(ESTIMATE, () => HttpResponse.json(GOSPEL_REMOVED)));
    const { user } = renderManagePage({ ...BUNDLE, existingPlans: [makePlan(), gospel] });
    await user.click(await findCheckbox('Gospel TV'));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    expect(await screen.findByText(/also cancels/)).toHaveTextContent(
      'This also cancels the scheduled pause of Gospel TV. If you undo the cancellation, we’ll put it back.',
    );
  });

  // shows: rule-7
  it('names a price that cannot be had again before a paused plan ends at once', async () => {
    const gospel = makeGospelPlan({ ...PAUSED, amountToday: 999 });
    const removed = { ...GOSPEL_REMOVED, existingPlans: [makePlan()], effectiveAt: null };
    server.use(http.post(ESTIMATE, () => HttpResponse.json(removed)));
    const { user } = renderManagePage({ ...BUNDLE, existingPlans: [makePlan(), gospel] });
    await user.click(await findCheckbox('Gospel TV'));
    await user.click(await screen.findByRole('button', { name: 'SAVE CHANGES' }));
    const dialog = within(screen.getByRole('dialog', { name: 'Save your changes?' }));
    expect(await dialog.findByText(/ends immediately/)).toHaveTextContent(
      'Your access to Gospel TV ends immediately. You’ll lose your price of $7.99 / month. Starting Gospel TV again costs $9.99 / month.',
    );
  });

  it('names a kept plan once, although another subscription to it takes no part', async () => {
    const other = makeKidsPlan({ subId: 'sub_other', isChangeable: false });
    const existingPlans = [makePlan(), makeKidsPlan(), other];
    const kept = makeServicesChange({ existingPlans, keptAgain: ['Minno-Plan'] });
    server.use(http.post(ESTIMATE, () => HttpResponse.json(kept)));
    const { user } = renderManagePage({ existingPlans: [makePlan(), makeKidsPlan(ENDING), other] });
    const [first] = await screen.findAllByRole('checkbox', { name: 'Kids' });
    if (first) await user.click(first);
    await user.click(screen.getByRole('button', { name: 'SAVE CHANGES' }));
    expect(await screen.findByRole('button', { name: 'Yes, keep Kids' })).toBeEnabled();
    expect(screen.getByText('You’re keeping Kids.')).toBeVisible();
  });

  it('cannot be confirmed while the figures load', async () => {
    server.use(http.post(ESTIMATE, () => delay('infinite')));
    const { dialog } = await openSaveDialog();
    expect(dialog.getByText('Calculating your total…')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'YES, SAVE' })).toBeDisabled();
  });

  it('shows changed figures and asks again', async () => {
    answers = [
      () =>
        errorResponse(409, 'quote_changed', 'The amount has changed.', {
          extra: { ...KIDS_ADDED, dueNow: 899, quote: 'quote-2' },
        }),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Yes, add Kids and pay $8.99' }));
    await screen.findByTestId('elsewhere');
    expect(sent.map(({ quote }) => quote)).toEqual(['quote-1', 'quote-2']);
  });

  // shows: client-7
  it('opens the payment failure dialog, keeps the selection and allows a retry', async () => {
    answers = [
      () => errorResponse(402, 'payment_processing_failed', "We couldn't process your payment."),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    expect(failed.getByText("We couldn't process your payment.")).toBeInTheDocument();
    expect(failed.getByRole('link', { name: /Contact Customer Service/ })).toBeInTheDocument();
    // Adding a card on the way is a page load, after which only the address knows the selection.
    expect(failed.getByRole('link', { name: 'Change payment method' })).toHaveAttribute(
      'href',
      '/manage-payment-method?add=Minno-Plan',
    );
    await user.click(failed.getByRole('button', { name: 'Try again' }));
    expect(screen.queryByRole('dialog', { name: 'Payment Failed' })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('button', { name: 'Yes, add Kids and pay $7.64' }));
    await screen.findByTestId('elsewhere');
    expect(sent).toHaveLength(2);
  });

  // shows: rule-20
  it('leads to the bank of the default card after its decline', async () => {
    server.use(http.get('*/api/payments/', () => HttpResponse.json(makePayments())));
    answers = [
      () => errorResponse(402, 'payment_processing_failed', "We couldn't process your payment."),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    const failed = within(await screen.findByRole('dialog', { name: 'Payment Failed' }));
    await user.click(await failed.findByRole('button', { name: 'Confirm with your bank' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/update-card-payment-method?operationType=SETPRIMARY&paymentSourceId=pm_visa',
    );
  });

  it('says when the change was already made in another tab', async () => {
    answers = [() => errorResponse(409, 'no_change', 'There’s nothing to change.')];
    const { user, dialog } = await openSaveDialog();
    server.use(
      http.get(PLANS, () =>
        HttpResponse.json(
          makeManagePlans({
            existingPlans: [makePlan(), makeGospelPlan(), makeKidsPlan()],
            total: 2037,
          }),
        ),
      ),
    );
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText(/This is already done/)).toBeInTheDocument();
    expect(dialog.queryByRole('alert')).not.toBeInTheDocument();
    expect(await findCheckbox('Kids')).toBeChecked();
  });

  it('repeats the same change after a lost connection', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post(CHANGE, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'));
        return keys.length === 1 ? HttpResponse.error() : HttpResponse.json(KIDS_ADDED);
      }),
    );
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByRole('alert')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: /pay \$7.64/ }));
    await screen.findByTestId('elsewhere');
    expect(keys[1]).toBe(keys[0]);
  });

  it('shows a partial change, and offers to finish it', async () => {
    answers = [
      () => errorResponse(502, 'billing_partial', 'Kids was added, Gospel TV is still there.'),
    ];
    const { user, dialog } = await openSaveDialog();
    await user.click(await dialog.findByRole('button', { name: /pay \$7.64/ }));
    expect(await dialog.findByText(/Gospel TV is still there/)).toBeInTheDocument();
    const finish = dialog.getByRole('button', { name: 'YES, FINISH' });
    await waitFor(() => expect(finish).toBeEnabled());
    await user.click(finish);
    await screen.findByTestId('elsewhere');
  });
});
