import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { EmailPreference } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { makePreferences } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import EmailPreferencesPage from './EmailPreferencesPage';

const PATH = '*/api/account/communicationPreferences';
const NONE = { newsLetter: false, streaming: false, promotions: false, branding: false };

let preferences: EmailPreference[] = [];
let saved: unknown[] = [];

beforeEach(() => {
  preferences = makePreferences();
  saved = [];
  server.use(
    http.get('*/api/account/billing-details', () =>
      HttpResponse.json({ email: 'ava@example.com' }),
    ),
    http.get(PATH, () => HttpResponse.json(preferences)),
    http.post(PATH, async ({ request }) => {
      saved.push(await request.json());
      return HttpResponse.json(preferences);
    }),
  );
});

const renderPage = () => renderScreen(<EmailPreferencesPage />, { at: '/emailPreferences' });
const findCheckbox = (name: string) => screen.findByRole('checkbox', { name });
const getSaveButton = () => screen.getByRole('button', { name: 'SAVE PREFERENCES' });
const queryUnsubscribeButton = () => screen.queryByRole('button', { name: 'Unsubscribe From All' });

describe('the email preferences', () => {
  // shows: emails-1, emails-2, api-31, api-32
  it('show the address and the four kinds with their summaries', async () => {
    preferences = makePreferences('streaming');
    renderPage();
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Manage Email Preferences' }),
    ).toBeVisible();
    expect(await findCheckbox("What's Streaming")).toBeChecked();
    const boxes = screen.getAllByRole('checkbox');
    expect(boxes.map((checkbox) => checkbox.getAttribute('aria-label'))).toEqual([
      'Faith & Family Newsletter',
      "What's Streaming",
      'Promotions',
      'Our Other Brands',
    ]);
    expect(screen.getByRole('checkbox', { name: 'Promotions' })).toHaveAccessibleDescription(
      'Marketing and promotional emails.',
    );
    expect(screen.getByText('ava@example.com')).toBeVisible();
  });

  // shows: emails-4, api-33
  it('are saved together, with a spinner, and confirmed', async () => {
    let sendAnswer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      sendAnswer = resolve;
    });
    server.use(
      http.post(PATH, async ({ request }) => {
        saved.push(await request.json());
        await answered;
        return HttpResponse.json(makePreferences('promotions'));
      }),
    );
    const { user } = renderPage();
    await user.click(await findCheckbox('Promotions'));
    await user.dblClick(getSaveButton());
    await waitFor(() => expect(getSaveButton()).toHaveAttribute('aria-busy', 'true'));
    sendAnswer();
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/emailConfirm');
    expect(saved).toEqual([{ ...NONE, promotions: true }]);
  });

  // shows: emails-11
  it('keep the selection if saving fails, and say why', async () => {
    server.use(http.post(PATH, () => errorResponse(500, 'internal_error', 'Broken.')));
    const { user } = renderPage();
    await user.click(await findCheckbox('Promotions'));
    await user.click(getSaveButton());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(await findCheckbox('Promotions')).toBeChecked();
  });

  // shows: emails-11
  it('show a failure to load, and retry', async () => {
    server.use(
      http.get(PATH, () => errorResponse(500, 'internal_error', 'Broken.'), { once: true }),
    );
    const { user } = renderPage();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await findCheckbox('Promotions')).toBeVisible();
  });
});

describe('unsubscribing from all', () => {
  // shows: emails-5
  it('is offered only while a checkbox is checked', async () => {
    const { user } = renderPage();
    const promotions = await findCheckbox('Promotions');
    expect(queryUnsubscribeButton()).not.toBeInTheDocument();
    await user.click(promotions);
    expect(queryUnsubscribeButton()).toBeVisible();
    await user.click(promotions);
    expect(queryUnsubscribeButton()).not.toBeInTheDocument();
  });

  async function openUnsubscribeDialog() {
    preferences = makePreferences('newsLetter', 'branding');
    const { user } = renderPage();
    await user.click(await screen.findByRole('button', { name: 'Unsubscribe From All' }));
    return { user, dialog: within(screen.getByRole('dialog', { name: 'Unsubscribe From All' })) };
  }

  // shows: emails-6
  it('asks for confirmation with the specified text', async () => {
    const { user, dialog } = await openUnsubscribeDialog();
    expect(dialog.getByText('Are you sure you want to unsubscribe from all emails?')).toBeVisible();
    expect(dialog.getByRole('heading', { name: 'Warning' })).toBeVisible();
    expect(
      dialog.getByText(
        'By unsubscribing from emails, you won’t be able to access special deals or notifications on upcoming series.',
      ),
    ).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'NO, CANCEL' }));
    expect(saved).toEqual([]);
    expect(await findCheckbox('Our Other Brands')).toBeChecked();
  });

  // shows: emails-7
  it('unsubscribes from all four, and is confirmed', async () => {
    const { user, dialog } = await openUnsubscribeDialog();
    await user.click(dialog.getByRole('button', { name: 'YES, UNSUBSCRIBE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/emailConfirm?state=unsubscribeAll',
    );
    expect(saved).toEqual([NONE]);
  });

  // shows: emails-11
  it('shows a failure, and keeps the checkboxes', async () => {
    server.use(http.post(PATH, () => errorResponse(500, 'internal_error', 'Broken.')));
    const { user, dialog } = await openUnsubscribeDialog();
    await user.click(dialog.getByRole('button', { name: 'YES, UNSUBSCRIBE' }));
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(await findCheckbox('Our Other Brands')).toBeChecked();
  });
});
