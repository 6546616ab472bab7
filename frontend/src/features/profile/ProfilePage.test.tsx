import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { Profile, SessionPlace } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { makeProfile, makeSession, makeSite } from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import ProfilePage from './ProfilePage';

const UPDATE = '*/api/account/profile/update';
const UPDATED = 'Profile details updated successfully.';

let profile: Profile;
let sessions: SessionPlace[];
let saved: unknown[];

beforeEach(() => {
  profile = makeProfile();
  sessions = [makeSession()];
  saved = [];
  server.use(
    http.get('*/api/account/profile', () => HttpResponse.json(profile)),
    http.get('*/api/account/sessions', () => HttpResponse.json(sessions)),
    http.post(UPDATE, async ({ request }) => {
      const sentProfile = (await request.json()) as Profile;
      saved.push(sentProfile);
      profile = { ...sentProfile, email: profile.email };
      return HttpResponse.json(profile);
    }),
  );
});

const renderPage = () => renderScreen(<ProfilePage />, { at: '/edit-profile' });
const findField = (name: string) => screen.findByRole('textbox', { name });
const findSelect = (name: string) => screen.findByRole('combobox', { name });
const getUpdateButton = () => screen.getByRole('button', { name: 'Update Profile' });
const getSnackbar = () => useSnackbar.getState();

describe('the profile', () => {
  // shows: profile-1, api-6
  it('shows the email address, which only customer service can change', async () => {
    renderPage();
    expect(await screen.findByText('Ava Stone')).toBeVisible();
    expect(await findField('Email')).toHaveAttribute('readonly');
    expect(await findField('Email')).toHaveValue('ava@example.com');
    expect(screen.getByText(/To update your email address, contact/)).toBeVisible();
    expect(await screen.findByRole('link', { name: /^Customer Service/ })).toHaveAttribute(
      'href',
      'https://help.example.com/requests/new',
    );
  });

  // shows: profile-2
  it('mentions customer service without a link if there is none', async () => {
    const site = makeSite();
    const brand = { ...site.brand, helpCentreUrl: '' };
    server.use(http.get('*/api/site', () => HttpResponse.json({ ...site, brand })));
    renderPage();
    expect(
      await screen.findByText('To update your email address, contact Customer Service'),
    ).toBeVisible();
  });

  // shows: profile-4, api-7
  it('is saved as a whole, once, with a message', async () => {
    const { user } = renderPage();
    await user.clear(await findField('First name'));
    await user.type(await findField('First name'), 'Avá');
    await user.selectOptions(await findSelect('Month'), '02 – February');
    await user.selectOptions(await findSelect('Day'), '29');
    await user.dblClick(getUpdateButton());
    await waitFor(() =>
      expect(getSnackbar()).toMatchObject({ content: UPDATED, severity: 'success' }),
    );
    expect(saved).toEqual([makeProfile({ firstName: 'Avá', bmonth: 2, bday: 29 })]);
    expect(screen.getByText('Avá Stone')).toBeVisible();
  });

  it('keeps what is typed during a save', async () => {
    const waiting: (() => void)[] = [];
    server.use(
      http.post(UPDATE, async ({ request }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        profile = (await request.json()) as Profile;
        return HttpResponse.json(profile);
      }),
    );
    const { user } = renderPage();
    await user.type(await findField('First name'), 'na{Enter}');
    await waitFor(() => expect(waiting).toHaveLength(1));
    await user.type(await findField('Last name'), 'ham');
    waiting[0]?.();
    await waitFor(() => expect(getSnackbar()).toMatchObject({ content: UPDATED }));
    expect(await findField('First name')).toHaveValue('Avana');
    expect(await findField('Last name')).toHaveValue('Stoneham');
  });

  // shows: profile-7
  it('accepts at most a hundred characters', async () => {
    const { user } = renderPage();
    await user.clear(await findField('Last name'));
    await user.click(await findField('Last name'));
    await user.paste('x'.repeat(101));
    expect(await findField('Last name')).toHaveValue('x'.repeat(100));
  });

  // shows: profile-6
  it('shows which name is missing until it is typed', async () => {
    const { user } = renderPage();
    await user.clear(await findField('First name'));
    await user.clear(await findField('Last name'));
    await user.type(await findField('Last name'), '   ');
    await user.click(getUpdateButton());
    const first = await findField('First name');
    expect(first).toHaveAccessibleDescription('please enter your first name.');
    expect(first).toHaveFocus();
    expect(await findField('Last name')).toHaveAccessibleDescription(
      'please enter your last name.',
    );
    await user.type(first, 'A');
    expect(first).toBeValid();
    expect(await findField('Last name')).toBeInvalid();
    expect(saved).toEqual([]);
  });

  // shows: profile-5
  it('keeps what was typed if saving fails, and claims no success', async () => {
    server.use(
      http.post(UPDATE, () => errorResponse(503, 'billing_unavailable', 'Nothing was changed.')),
    );
    const { user } = renderPage();
    await user.type(await findField('Last name'), 'ham');
    await user.click(getUpdateButton());
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Your profile wasn’t updated. Nothing was changed.',
    );
    expect(getSnackbar()).toMatchObject({ content: 'Nothing was changed.', severity: 'error' });
    expect(await findField('Last name')).toHaveValue('Stoneham');
    expect(screen.getByText('Ava Stone')).toBeVisible();
  });

  it('claims no failure if the answer is lost, since the server may have saved', async () => {
    server.use(
      http.post(UPDATE, async ({ request }) => {
        profile = (await request.json()) as Profile;
        return HttpResponse.error();
      }),
    );
    const { user } = renderPage();
    await user.type(await findField('Last name'), 'ham');
    await user.click(getUpdateButton());
    expect(await screen.findByText('Ava Stoneham')).toBeVisible();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'We couldn’t connect. Check your connection and try again. Nothing will be done twice.',
    );
    expect(screen.queryByText(/wasn’t updated/)).not.toBeInTheDocument();
  });

  it('shows the server’s validation error at its field', async () => {
    const fields = { lastName: ['Our billing service does not take this name.'] };
    server.use(
      http.post(UPDATE, () => errorResponse(400, 'validation_error', 'Check it.', { fields })),
    );
    const { user } = renderPage();
    await user.type(await findField('Last name'), '!');
    await user.click(getUpdateButton());
    await waitFor(async () =>
      expect(await findField('Last name')).toHaveAccessibleDescription(
        fields.lastName[0] as string,
      ),
    );
    expect(await findField('Last name')).toHaveFocus();
  });

  it('shows a failure to load, and retries', async () => {
    server.use(
      http.get('*/api/account/profile', () => errorResponse(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = renderPage();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await findField('First name')).toBeVisible();
  });
});

describe('unsaved changes', () => {
  const getDialog = () => screen.queryByRole('dialog', { name: 'Leave without saving?' });
  const followBackLink = (user: UserEvent) =>
    user.click(screen.getByRole('link', { name: 'Manage Your Account' }));

  // shows: profile-10
  it('are asked about before a link leaves the screen', async () => {
    const { user } = renderPage();
    await user.type(await findField('First name'), 'lina');
    await followBackLink(user);
    expect(getDialog()).toHaveTextContent('The changes to your profile haven’t been saved.');
    await user.click(screen.getByRole('button', { name: 'NO, CANCEL' }));
    expect(getDialog()).not.toBeInTheDocument();
    expect(await findField('First name')).toHaveValue('Avalina');

    await followBackLink(user);
    await user.click(screen.getByRole('button', { name: 'YES, LEAVE' }));
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  // shows: profile-10
  it('are not asked about once they are undone', async () => {
    const { user } = renderPage();
    await user.type(await findField('First name'), 'n{Backspace}');
    await followBackLink(user);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });

  // shows: profile-10
  it('are not asked about once they are saved', async () => {
    const { user } = renderPage();
    await user.type(await findField('First name'), 'lina{Enter}');
    await waitFor(() => expect(getSnackbar()).toMatchObject({ content: UPDATED }));
    await followBackLink(user);
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/dashboard');
  });
});

describe('the birthday', () => {
  const WARNING = { content: 'Please select valid birthday date', severity: 'warning' };

  const countDays = async () => within(await findSelect('Day')).getAllByRole('option').length - 1;

  // shows: profile-9
  it('offers 29 days in February and 31 otherwise', async () => {
    const { user } = renderPage();
    expect(await countDays()).toBe(31);
    await user.selectOptions(await findSelect('Month'), '02 – February');
    expect(await countDays()).toBe(29);
    await user.selectOptions(await findSelect('Month'), '04 – April');
    expect(await countDays()).toBe(31);
  });

  // shows: profile-8
  it.each([
    ['a month alone', 5, 0],
    ['a day alone', 0, 5],
    ['a day that its month does not have', 4, 31],
  ])('is rejected if it is %s', async (_case, bmonth, bday) => {
    const { user } = renderPage();
    await user.selectOptions(await findSelect('Month'), String(bmonth));
    await user.selectOptions(await findSelect('Day'), String(bday));
    await user.click(getUpdateButton());
    expect(getSnackbar()).toMatchObject(WARNING);
    for (const name of ['Month', 'Day']) expect(screen.getByLabelText(name)).toBeInvalid();
    expect(screen.getByRole('group', { name: /Birthday/ })).toHaveAccessibleDescription(
      WARNING.content,
    );
    expect(saved).toEqual([]);
    await user.selectOptions(await findSelect('Day'), '0');
    expect(screen.queryByText(WARNING.content)).not.toBeInTheDocument();
  });

  it('clears a day that the month does not have', async () => {
    const { user } = renderPage();
    await user.selectOptions(await findSelect('Day'), '31');
    await user.selectOptions(await findSelect('Month'), '2');
    expect(await findSelect('Day')).toHaveValue('0');
  });

  // shows: profile-3
  it('can be cleared, field by field or at once', async () => {
    profile = makeProfile({ bmonth: 5, bday: 4 });
    const { user } = renderPage();
    expect(await findSelect('Month')).toHaveDisplayValue('05 – May');
    await user.selectOptions(await findSelect('Month'), 'Month');
    expect(await findSelect('Day')).toHaveDisplayValue('4');
    await user.click(screen.getByRole('button', { name: 'Clear birthday' }));
    expect(await findSelect('Month')).toHaveFocus();
    await user.click(getUpdateButton());
    await waitFor(() => expect(saved).toEqual([makeProfile()]));
  });
});

describe('the sessions', () => {
  const findSessions = () => screen.findByRole('region', { name: 'Signed-in devices' });

  // shows: api-36, api-37
  it('are listed by browser, and can be ended everywhere else', async () => {
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1';
    sessions = [makeSession(), makeSession({ id: 'other', agent: phone, current: false })];
    server.use(
      http.post('*/api/account/sessions/revoke-others', () => {
        sessions = [makeSession()];
        return HttpResponse.json(sessions);
      }),
    );
    const { user } = renderPage();
    const region = within(await findSessions());
    expect(await region.findByText('Chrome on Windows')).toBeVisible();
    expect(region.getByText('Safari on iPhone')).toBeVisible();
    await user.click(region.getByRole('button', { name: 'Sign out everywhere else' }));
    expect(await region.findByText('You’re not signed in anywhere else.')).toBeVisible();
    expect(region.queryByText('Safari on iPhone')).not.toBeInTheDocument();
    expect(getSnackbar().content).toBe('You’re signed out everywhere else.');
    expect(region.getByRole('heading')).toHaveFocus();
  });

  it('do not say that the device in use was last used before', async () => {
    const days = { createdAt: '2026-11-02T12:00:00Z', lastUsedAt: '2026-11-19T12:00:00Z' };
    sessions = [makeSession(days), makeSession({ ...days, id: 'other', current: false })];
    renderPage();
    const region = within(await findSessions());
    const [current, other] = await region.findAllByRole('listitem');
    expect(current).toHaveTextContent(/Signed in November 2, 2026$/);
    expect(other).toHaveTextContent('Signed in November 2, 2026, last used November 19, 2026');
  });

  it('do not affect the rest of the screen if they fail to load', async () => {
    server.use(
      http.get('*/api/account/sessions', () => errorResponse(500, 'internal_error', 'Broken.')),
    );
    renderPage();
    expect(await within(await findSessions()).findByRole('alert')).toHaveTextContent('Broken.');
    expect(await findField('First name')).toBeVisible();
  });
});

/** jsdom's `Blob` has no `text()`. */
function readJson(blob: Blob): Promise<unknown> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(JSON.parse(String(reader.result)));
    reader.readAsText(blob);
  });
}

describe('the data export', () => {
  const findDownloadButton = () => screen.findByRole('button', { name: 'Download your data' });

  // shows: api-35
  it('downloads one file', async () => {
    const files: { name: string; content: Promise<unknown> }[] = [];
    let createdFile = new Blob();
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        createdFile = blob;
        return 'blob:own-data';
      },
      revokeObjectURL: () => undefined,
    });
    // jsdom cannot follow a link, so the test records the file.
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      files.push({ name: this.download, content: readJson(createdFile) });
    });
    server.use(
      http.get('*/api/account/export', () => HttpResponse.json({ profile: makeProfile() })),
    );
    const { user } = renderPage();
    await user.dblClick(await findDownloadButton());
    expect(await screen.findByText('Your data is downloading.')).toBeInTheDocument();
    expect(files.map(({ name }) => name)).toEqual(['your-data.json']);
    expect(await files[0]?.content).toEqual({ profile: makeProfile() });
  });

  it('shows a failure', async () => {
    server.use(
      http.get('*/api/account/export', () => errorResponse(500, 'internal_error', 'Broken.')),
    );
    const { user } = renderPage();
    await user.click(await findDownloadButton());
    await waitFor(() =>
      expect(getSnackbar()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(await findDownloadButton()).not.toHaveAttribute('aria-busy');
  });
});
