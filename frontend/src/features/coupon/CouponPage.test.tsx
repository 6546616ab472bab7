import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import { useSnackbar } from '@/stores/snackbar';
import { aPlan, aPreview, someManagePlans } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import CouponPage from './CouponPage';

let asked: string[] = [];

function answer(response: () => Response) {
  server.use(
    http.post('*/api/account/add-coupon/:code', ({ request }) => {
      asked.push(new URL(request.url).pathname);
      return response();
    }),
  );
}

beforeEach(() => {
  asked = [];
  server.use(http.get('*/api/account/manage-plans', () => HttpResponse.json(someManagePlans())));
  answer(() =>
    HttpResponse.json({ ...aPreview({ existingPlans: [aPlan()] }), appliedTo: 'sub_faith' }),
  );
});

const show = () => renderScreen(<CouponPage />, { at: '/coupon' });
const code = () => screen.findByRole('textbox', { name: 'Code' });
const apply = () => screen.getByRole('button', { name: 'APPLY' });

describe('redeeming a code', () => {
  it('applies it once and goes to the summary', async () => {
    const { user } = show();
    await user.type(await code(), '  SAVE20 ');
    await user.dblClick(apply());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/summary');
    expect(asked).toEqual(['/api/account/add-coupon/SAVE20']);
    expect(useSnackbar.getState().visible).toBe(false);
  });

  it.each(['', '    '])('warns where there is none: "%s"', async (typed) => {
    const { user } = show();
    await user.type(await code(), `${typed}{Enter}`);
    expect(useSnackbar.getState()).toMatchObject({
      content: 'Please enter the coupon code to update',
      severity: 'warning',
    });
    expect(await code()).toHaveFocus();
    expect(await code()).toBeInvalid();
    expect(asked).toEqual([]);
  });

  it('takes no more than 30 characters', async () => {
    const { user } = show();
    await user.type(await code(), 'A'.repeat(31));
    expect(await code()).toHaveValue('A'.repeat(30));
  });

  it.each([
    ['a/b?c#d', 'a%2Fb%3Fc%23d'],
    ['🎁 %', '%F0%9F%8E%81%20%25'],
  ])('sends %s as it was typed', async (typed, sent) => {
    const { user } = show();
    await user.type(await code(), typed);
    await user.click(apply());
    await screen.findByTestId('elsewhere');
    expect(asked).toEqual([`/api/account/add-coupon/${sent}`]);
  });

  it('keeps what was typed where it is refused, and says why', async () => {
    answer(() => refusal(409, 'coupon_expired', 'This code has expired.'));
    const { user } = show();
    await user.type(await code(), 'EXPIRED10');
    await user.click(apply());
    await expect
      .poll(() => useSnackbar.getState())
      .toMatchObject({ content: 'This code has expired.', severity: 'error' });
    expect(await code()).toHaveValue('EXPIRED10');
    expect(await code()).toHaveAccessibleDescription('This code has expired.');
    expect(await code()).toHaveFocus();
  });
});
