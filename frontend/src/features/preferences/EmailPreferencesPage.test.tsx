import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';

import type { EmailPreference } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { somePreferences } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import EmailPreferencesPage from './EmailPreferencesPage';

const PATH = '*/api/account/communicationPreferences';
const NONE = { newsLetter: false, streaming: false, promotions: false, branding: false };

let held: EmailPreference[] = [];
let saved: unknown[] = [];

beforeEach(() => {
  held = somePreferences();
  saved = [];
  server.use(
    http.get('*/api/account/billing-details', () =>
      HttpResponse.json({ email: 'ava@example.com' }),
    ),
    http.get(PATH, () => HttpResponse.json(held)),
    http.post(PATH, async ({ request }) => {
      saved.push(await request.json());
      return HttpResponse.json(held);
    }),
  );
});

const show = () => renderScreen(<EmailPreferencesPage />, { at: '/emailPreferences' });
const box = (name: string) => screen.findByRole('checkbox', { name });
const save = () => screen.getByRole('button', { name: 'SAVE PREFERENCES' });
const fromAll = () => screen.queryByRole('button', { name: 'Unsubscribe From All' });

describe('the email preferences', () => {
  it('show the address and the four kinds, each with what is in it', async () => {
    held = somePreferences('streaming');
    show();
    expect(
      await screen.findByRole('heading', { level: 1, name: 'Manage Email Preferences' }),
    ).toBeVisible();
    expect(await box("What's Streaming")).toBeChecked();
    const boxes = screen.getAllByRole('checkbox');
    expect(boxes.map((one) => one.getAttribute('aria-label'))).toEqual([
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

  it('are saved all four at once, with a spinner, and confirmed', async () => {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    server.use(
      http.post(PATH, async ({ request }) => {
        saved.push(await request.json());
        await answered;
        return HttpResponse.json(somePreferences('promotions'));
      }),
    );
    const { user } = show();
    await user.click(await box('Promotions'));
    await user.dblClick(save());
    await waitFor(() => expect(save()).toHaveAttribute('aria-busy', 'true'));
    answer();
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/emailConfirm');
    expect(saved).toEqual([{ ...NONE, promotions: true }]);
  });

  it('stay as they were chosen where saving fails, and say why', async () => {
    server.use(http.post(PATH, () => refusal(500, 'internal_error', 'Broken.')));
    const { user } = show();
    await user.click(await box('Promotions'));
    await user.click(save());
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(await box('Promotions')).toBeChecked();
  });

  it('say what failed of loading, and try again', async () => {
    server.use(http.get(PATH, () => refusal(500, 'internal_error', 'Broken.'), { once: true }));
    const { user } = show();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await box('Promotions')).toBeVisible();
  });
});

describe('unsubscribing from all', () => {
  it('is offered only while a box is checked', async () => {
    const { user } = show();
    const promotions = await box('Promotions');
    expect(fromAll()).not.toBeInTheDocument();
    await user.click(promotions);
    expect(fromAll()).toBeVisible();
    await user.click(promotions);
    expect(fromAll()).not.toBeInTheDocument();
  });

  async function ask() {
    held = somePreferences('newsLetter', 'branding');
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Unsubscribe From All' }));
    return { user, dialog: within(screen.getByRole('dialog', { name: 'Unsubscribe From All' })) };
  }

  it('asks first, in the words that it has', async () => {
    const { user, dialog } = await ask();
    expect(dialog.getByText('Are you sure you want to unsubscribe from all emails?')).toBeVisible();
    expect(dialog.getByRole('heading', { name: 'Warning' })).toBeVisible();
    expect(
      dialog.getByText(
        'By unsubscribing from emails, you won’t be able to access special deals or notifications on upcoming series.',
      ),
    ).toBeVisible();
    await user.click(dialog.getByRole('button', { name: 'NO, CANCEL' }));
    expect(saved).toEqual([]);
    expect(await box('Our Other Brands')).toBeChecked();
  });

  it('ends all four and is confirmed as that', async () => {
    const { user, dialog } = await ask();
    await user.click(dialog.getByRole('button', { name: 'YES, UNSUBSCRIBE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent(
      '/emailConfirm?state=unsubscribeAll',
    );
    expect(saved).toEqual([NONE]);
  });

  it('says why where it fails, and leaves the boxes alone', async () => {
    server.use(http.post(PATH, () => refusal(500, 'internal_error', 'Broken.')));
    const { user, dialog } = await ask();
    await user.click(dialog.getByRole('button', { name: 'YES, UNSUBSCRIBE' }));
    await waitFor(() =>
      expect(useSnackbar.getState()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(await box('Our Other Brands')).toBeChecked();
  });
});
