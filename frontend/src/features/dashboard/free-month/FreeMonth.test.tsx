import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { findCard, renderDashboard, serveDashboard } from '@/features/dashboard/dashboardWorld';
import { makeFreeMonth } from '@/testing/fixtures';
import { errorResponse, server } from '@/testing/server';

beforeEach(serveDashboard);

describe('the free month', () => {
  const OFFER = '*/api/account/claim-my-offer/estimate';
  const CLAIM = '*/api/account/claim-my-offer';
  let claims: unknown[] = [];

  beforeEach(() => {
    claims = [];
    server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth())));
  });

  function answerClaim(...refusals: Response[]) {
    server.use(
      http.post(CLAIM, async ({ request }) => {
        claims.push(await request.json());
        return refusals.shift() ?? HttpResponse.json(makeFreeMonth({ eligible: false }));
      }),
    );
  }

  const findOffer = () => screen.findByRole('region', { name: 'A month on us' });

  // shows: api-23, api-24
  it('shows its savings and dates, and is claimed after confirmation', async () => {
    answerClaim();
    const { user } = renderDashboard();
    expect(await findOffer()).toHaveTextContent(
      'You save $6.99 on Faith & Family. The bill on December 10, 2026 is free, and you pay again on January 10, 2027.',
    );
    await user.click(screen.getByRole('button', { name: 'Claim my free month' }));
    expect(claims).toEqual([]);
    expect(screen.getByRole('dialog')).toHaveTextContent(
      'Your next bill for Faith & Family is $0.00 on December 10, 2026. From January 10, 2027, it is $6.99 / month.',
    );
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const heading = await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(heading).toHaveFocus();
    expect(screen.getByText(/You pay again on/)).toHaveTextContent('on January 10, 2027.');
    expect(claims).toEqual([{ quote: 'quote-1' }]);
    expect(screen.queryByRole('button', { name: /free month/i })).not.toBeInTheDocument();
  });

  it('asks again if the figures have changed', async () => {
    const changed = { ...makeFreeMonth({ amountSaved: 799 }), quote: 'quote-2' };
    answerClaim(errorResponse(409, 'quote_changed', 'The amount has changed.', { extra: changed }));
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    server.use(http.get(OFFER, () => HttpResponse.json(changed)));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByText('The amount has changed.')).toBeInTheDocument();
    expect(dialog.getByText('$7.99')).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    await screen.findByRole('heading', { name: 'Your next month is free' });
    expect(claims).toEqual([{ quote: 'quote-1' }, { quote: 'quote-2' }]);
  });

  it('shows a refusal in its dialog although it is no longer offered', async () => {
    answerClaim(errorResponse(409, 'offer_already_claimed', 'You have had a free month.'));
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth({ eligible: false }))));
    await user.click(screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' }));
    const dialog = within(screen.getByRole('dialog'));
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' })).toBeDisabled(),
    );
    expect(dialog.getByText('You have had a free month.')).toBeInTheDocument();
    expect(dialog.getByText('$6.99')).toBeInTheDocument();
  });

  it('can be claimed again after a claim whose answer was lost, which may have been made', async () => {
    const keys: (string | null)[] = [];
    server.use(
      http.post(CLAIM, ({ request }) => {
        keys.push(request.headers.get('Idempotency-Key'));
        server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth({ eligible: false }))));
        return keys.length === 1
          ? HttpResponse.error()
          : HttpResponse.json(makeFreeMonth({ eligible: false }));
      }),
    );
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    const claim = screen.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' });
    await user.click(claim);
    expect(await screen.findByText(/Nothing will be done twice\./)).toBeVisible();
    await waitFor(() => expect(claim).not.toHaveAttribute('aria-busy'));
    await user.click(claim);
    expect(await screen.findByRole('heading', { name: 'Your next month is free' })).toHaveFocus();
    expect(new Set(keys)).toEqual(new Set([keys[0]]));
    expect(keys).toHaveLength(2);
  });

  it('says in its dialog that it is no longer offered', async () => {
    const { user } = renderDashboard();
    await user.click(await screen.findByRole('button', { name: 'Claim my free month' }));
    server.use(http.get(OFFER, () => HttpResponse.json(makeFreeMonth({ eligible: false }))));
    window.dispatchEvent(new Event('visibilitychange'));
    const dialog = within(screen.getByRole('dialog'));
    expect(await dialog.findByText('This offer is no longer available.')).toBeInTheDocument();
    expect(dialog.getByRole('button', { name: 'YES, CLAIM MY FREE MONTH' })).toBeDisabled();
  });

  it('is not mentioned if the subscriber is not eligible', async () => {
    server.use(
      http.get(OFFER, () =>
        HttpResponse.json(makeFreeMonth({ eligible: false, reason: 'not_monthly' })),
      ),
    );
    renderDashboard();
    await findCard('Faith & Family');
    expect(screen.queryByText(/month on us/)).not.toBeInTheDocument();
  });
});
