import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { Plan } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { ENDING, makeManagePlans, makePeriodEstimate, makePlan, PAUSED } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import CouponPage from './CouponPage';

let requests: string[] = [];

function answerWith(response: () => Response) {
  server.use(
    http.post('*/api/account/add-coupon/:code', ({ request }) => {
      requests.push(new URL(request.url).pathname);
      return response();
    }),
  );
}

beforeEach(() => {
  requests = [];
  server.use(http.get('*/api/account/manage-plans', () => HttpResponse.json(makeManagePlans())));
  answerWith(() =>
    HttpResponse.json({
      ...makePeriodEstimate({ existingPlans: [makePlan()] }),
      appliedTo: 'sub_faith',
    }),
  );
});

const renderPage = () => renderScreen(<CouponPage />, { at: '/coupon' });
const findCodeField = () => screen.findByRole('textbox', { name: 'Code' });
const getApplyButton = () => screen.getByRole('button', { name: 'APPLY' });

describe('redeeming a code', () => {
  // shows: coupon-1, coupon-2, api-29
  it('applies it once and goes to the summary', async () => {
    const { user } = renderPage();
    await user.type(await findCodeField(), '  SAVE20 ');
    await user.dblClick(getApplyButton());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary');
    expect(requests).toEqual(['/api/account/add-coupon/SAVE20']);
    expect(useSnackbar.getState().visible).toBe(false);
  });

  // shows: coupon-6
  it.each<[string, Plan[]]>([
    ['no subscription', []],
    ['a paused one', [makePlan(PAUSED)]],
    ['one that ends', [makePlan(ENDING)]],
    ['one that takes no codes', [makePlan({ isChangeable: false })]],
  ])('needs a bill to come: %s', async (_, existingPlans) => {
    server.use(
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(makeManagePlans({ existingPlans })),
      ),
    );
    renderPage();
    expect(await screen.findByText('No bill to use a code on')).toBeVisible();
    expect(screen.getByRole('link', { name: 'See your subscriptions' })).toHaveAttribute(
      'href',
      '/manage-subscription',
    );
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  });

  it('is said to be impossible with a subscription that takes no codes', async () => {
    server.use(
      http.get('*/api/account/manage-plans', () =>
        HttpResponse.json(makeManagePlans({ existingPlans: [makePlan({ isChangeable: false })] })),
      ),
    );
    renderPage();
    const sentence = 'Codes can’t be used with the subscriptions you have.';
    expect(await screen.findByText(sentence)).toBeVisible();
  });

  // shows: coupon-3
  it.each(['', '    '])('warns about an empty code: "%s"', async (typed) => {
    const { user } = renderPage();
    await user.type(await findCodeField(), `${typed}{Enter}`);
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Please enter the coupon code to update',
      severity: 'warning',
    });
    expect(await findCodeField()).toHaveFocus();
    expect(await findCodeField()).toBeInvalid();
    expect(requests).toEqual([]);
  });

  // shows: coupon-4
  it('accepts at most 30 characters', async () => {
    const { user } = renderPage();
    await user.type(await findCodeField(), 'A'.repeat(31));
    expect(await findCodeField()).toHaveValue('A'.repeat(30));
  });

  it.each([
    ['a/b?c#d', 'a%2Fb%3Fc%23d'],
    ['🎁 %', '%F0%9F%8E%81%20%25'],
  ])('sends %s as typed', async (typed, encoded) => {
    const { user } = renderPage();
    await user.type(await findCodeField(), typed);
    await user.click(getApplyButton());
    await screen.findByTestId('elsewhere');
    expect(requests).toEqual([`/api/account/add-coupon/${encoded}`]);
  });

  // shows: coupon-5
  it('keeps a refused code and says why', async () => {
    answerWith(() => errorResponse(409, 'coupon_expired', 'This code has expired.'));
    const { user } = renderPage();
    await user.type(await findCodeField(), 'EXPIRED10');
    await user.click(getApplyButton());
    await expect
      .poll(() => useSnackbar.getState())
      .toMatchObject({ content: 'This code has expired.', severity: 'error' });
    expect(await findCodeField()).toHaveValue('EXPIRED10');
    expect(await findCodeField()).toHaveAccessibleDescription('This code has expired.');
    expect(await findCodeField()).toHaveFocus();
  });
});
