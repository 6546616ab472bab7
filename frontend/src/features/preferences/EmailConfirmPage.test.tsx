import { screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';

import type { EmailPreference } from '@/lib/api/types';
import { makePreferences } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import { NO_EMAILS } from './api';
import EmailConfirmPage from './EmailConfirmPage';

const PATH = '*/api/account/communicationPreferences';
const ALLOW = 'PLEASE ALLOW 10 (ten) business days for your request to be processed';

function renderPage(at: string, preferences: EmailPreference[], state: unknown = null) {
  server.use(http.get(PATH, () => HttpResponse.json(preferences)));
  return renderScreen(<EmailConfirmPage />, { at, state });
}

describe('the confirmation', () => {
  // shows: emails-8
  it('lists only the subscribed emails, read-only', async () => {
    renderPage('/emailConfirm', makePreferences('streaming', 'branding'), {
      saved: { ...NO_EMAILS, streaming: true, branding: true },
    });
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

  // shows: emails-9
  it('confirms unsubscribing from all, and how long it takes', async () => {
    renderPage('/emailConfirm?state=unsubscribeAll', makePreferences(), { saved: NO_EMAILS });
    expect(await screen.findByText(/not subscribed to any emails/)).toBeVisible();
    expect(screen.getByText(ALLOW)).toBeVisible();
    expect(screen.getByText('You’re unsubscribed from all emails.')).toBeVisible();
  });

  // shows: emails-9
  it.each(['/emailConfirm', '/emailConfirm?state=unsubscribeAll'])(
    'claims nothing at %s, opened by hand with emails on',
    async (at) => {
      renderPage(at, makePreferences('streaming'));
      expect(await screen.findByText("What's Streaming")).toBeVisible();
      expect(screen.queryByText(/saved|unsubscribed/)).not.toBeInTheDocument();
      expect(screen.queryByText(ALLOW)).not.toBeInTheDocument();
    },
  );

  it.each(['/emailConfirm', '/emailConfirm?state=unsubscribeAll'])(
    'claims nothing at %s of another account, to which a sign-in in another tab can lead',
    async (at) => {
      renderPage(at, makePreferences('streaming'), { saved: NO_EMAILS });
      expect(await screen.findByText("What's Streaming")).toBeVisible();
      expect(screen.queryByText(/saved|unsubscribed/)).not.toBeInTheDocument();
    },
  );

  // shows: emails-10
  it('links back to the dashboard', async () => {
    const { user } = renderPage('/emailConfirm', makePreferences());
    await user.click(await screen.findByRole('link', { name: 'BACK TO ACCOUNT PORTAL' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  it('shows a failure to load', async () => {
    server.use(http.get(PATH, () => errorResponse(500, 'internal_error', 'Broken.')));
    renderScreen(<EmailConfirmPage />, { at: '/emailConfirm' });
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
  });
});
