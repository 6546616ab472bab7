import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import type { EmailPreference } from '@/lib/api/types';
import { somePreferences } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import EmailConfirmPage from './EmailConfirmPage';

const PATH = '*/api/account/communicationPreferences';
const ALLOW = 'PLEASE ALLOW 10 (ten) business days for your request to be processed';

function show(at: string, held: EmailPreference[], state: unknown = null) {
  server.use(http.get(PATH, () => HttpResponse.json(held)));
  return renderScreen(<EmailConfirmPage />, { at, state });
}

describe('the confirmation', () => {
  it('lists only what one is subscribed to, to read', async () => {
    show('/emailConfirm', somePreferences('streaming', 'branding'), { saved: true });
    const rows = await screen.findAllByRole('listitem');
    expect(screen.getByRole('heading', { level: 1, name: 'Your Email Preferences' })).toBeVisible();
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      "What's StreamingA monthly newsletter.",
      'Our Other BrandsEmails about other platforms.',
    ]);
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
    expect(screen.getByText('Your email preferences are saved.')).toBeVisible();
    expect(screen.queryByText(ALLOW)).not.toBeInTheDocument();
  });

  it('confirms that all is ended, and how long it may take', async () => {
    show('/emailConfirm?state=unsubscribeAll', somePreferences(), { saved: true });
    expect(await screen.findByText(/not subscribed to any emails/)).toBeVisible();
    expect(screen.getByText(ALLOW)).toBeVisible();
    expect(screen.getByText('You are unsubscribed from all emails.')).toBeVisible();
  });

  it('claims nothing to have been saved where one only looks', async () => {
    show('/emailConfirm', somePreferences('streaming'));
    expect(await screen.findByText("What's Streaming")).toBeVisible();
    expect(screen.queryByText(/saved/)).not.toBeInTheDocument();
  });

  it('leads back to the account', async () => {
    const { user } = show('/emailConfirm', somePreferences());
    await user.click(await screen.findByRole('link', { name: 'BACK TO ACCOUNT PORTAL' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  it('says what failed of loading', async () => {
    server.use(http.get(PATH, () => refusal(500, 'internal_error', 'Broken.')));
    renderScreen(<EmailConfirmPage />, { at: '/emailConfirm' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
  });
});
