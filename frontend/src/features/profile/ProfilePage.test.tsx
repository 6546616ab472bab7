import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { Profile, SessionPlace } from '@/lib/api/types';
import { useSnackbar } from '@/stores/snackbar';
import { aProfile, aSession, aSite } from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import ProfilePage from './ProfilePage';

const UPDATE = '*/api/account/profile/update';
const UPDATED = 'Profile details updated successfully.';

let profile: Profile;
let sessions: SessionPlace[];
let saved: unknown[];

beforeEach(() => {
  profile = aProfile();
  sessions = [aSession()];
  saved = [];
  server.use(
    http.get('*/api/account/profile', () => HttpResponse.json(profile)),
    http.get('*/api/account/sessions', () => HttpResponse.json(sessions)),
    http.post(UPDATE, async ({ request }) => {
      const asked = (await request.json()) as Profile;
      saved.push(asked);
      return HttpResponse.json({ ...asked, email: profile.email });
    }),
  );
});

const show = () => renderScreen(<ProfilePage />, { at: '/edit-profile' });
const field = (name: string) => screen.findByRole('textbox', { name });
const select = (name: string) => screen.findByRole('combobox', { name });
const update = () => screen.getByRole('button', { name: 'Update Profile' });
const snackbar = () => useSnackbar.getState();

describe('the profile', () => {
  it('is shown with its address, which only customer service changes', async () => {
    show();
    expect(await screen.findByText('Ava Stone')).toBeVisible();
    expect(await field('Email')).toHaveAttribute('readonly');
    expect(await field('Email')).toHaveValue('ava@example.com');
    expect(screen.getByText(/To update your email address, contact/)).toBeVisible();
    expect(await screen.findByRole('link', { name: /^Customer Service/ })).toHaveAttribute(
      'href',
      'https://help.example.com/requests/new',
    );
  });

  it('names customer service without a link where there is none', async () => {
    const site = aSite();
    const brand = { ...site.brand, helpCentreUrl: '' };
    server.use(http.get('*/api/site', () => HttpResponse.json({ ...site, brand })));
    show();
    expect(
      await screen.findByText('To update your email address, contact Customer Service'),
    ).toBeVisible();
  });

  it('is saved whole, once, and says so', async () => {
    const { user } = show();
    await user.clear(await field('First name'));
    await user.type(await field('First name'), 'Avá');
    await user.selectOptions(await select('Month'), '02 – February');
    await user.selectOptions(await select('Day'), '29');
    await user.dblClick(update());
    await waitFor(() =>
      expect(snackbar()).toMatchObject({ content: UPDATED, severity: 'success' }),
    );
    expect(saved).toEqual([aProfile({ firstName: 'Avá', bmonth: 2, bday: 29 })]);
    expect(screen.getByText('Avá Stone')).toBeVisible();
  });

  it('keeps what is typed while it is being saved', async () => {
    const waiting: (() => void)[] = [];
    server.use(
      http.post(UPDATE, async ({ request }) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return HttpResponse.json(await request.json());
      }),
    );
    const { user } = show();
    await user.type(await field('First name'), 'na{Enter}');
    await waitFor(() => expect(waiting).toHaveLength(1));
    await user.type(await field('Last name'), 'ham');
    waiting[0]?.();
    await waitFor(() => expect(snackbar()).toMatchObject({ content: UPDATED }));
    expect(await field('First name')).toHaveValue('Avana');
    expect(await field('Last name')).toHaveValue('Stoneham');
  });

  it('takes no more than a hundred characters', async () => {
    const { user } = show();
    await user.clear(await field('Last name'));
    await user.click(await field('Last name'));
    await user.paste('x'.repeat(101));
    expect(await field('Last name')).toHaveValue('x'.repeat(100));
  });

  it('says which name is missing until one types', async () => {
    const { user } = show();
    await user.clear(await field('First name'));
    await user.clear(await field('Last name'));
    await user.type(await field('Last name'), '   ');
    await user.click(update());
    const first = await field('First name');
    expect(first).toHaveAccessibleDescription('please enter your first name.');
    expect(first).toHaveFocus();
    expect(await field('Last name')).toHaveAccessibleDescription('please enter your last name.');
    await user.type(first, 'A');
    expect(first).toBeValid();
    expect(await field('Last name')).toBeInvalid();
    expect(saved).toEqual([]);
  });

  it('keeps what was typed where saving fails, and claims no success', async () => {
    server.use(
      http.post(UPDATE, () => refusal(503, 'billing_unavailable', 'Nothing was changed.')),
    );
    const { user } = show();
    await user.type(await field('Last name'), 'ham');
    await user.click(update());
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Your profile was not updated. Nothing was changed.',
    );
    expect(snackbar()).toMatchObject({ content: 'Nothing was changed.', severity: 'error' });
    expect(await field('Last name')).toHaveValue('Stoneham');
    expect(screen.getByText('Ava Stone')).toBeVisible();
  });

  it('says at its field what the server does not take', async () => {
    const fields = { lastName: ['Our billing service does not take this name.'] };
    server.use(http.post(UPDATE, () => refusal(400, 'validation_error', 'Check it.', { fields })));
    const { user } = show();
    await user.type(await field('Last name'), '!');
    await user.click(update());
    await waitFor(async () =>
      expect(await field('Last name')).toHaveAccessibleDescription(fields.lastName[0] as string),
    );
    expect(await field('Last name')).toHaveFocus();
  });

  it('says what failed of loading, and tries again', async () => {
    server.use(
      http.get('*/api/account/profile', () => refusal(500, 'internal_error', 'Broken.'), {
        once: true,
      }),
    );
    const { user } = show();
    expect(await screen.findByRole('alert')).toHaveTextContent('Broken.');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await field('First name')).toBeVisible();
  });
});

describe('the birthday', () => {
  const WARNING = { content: 'Please select valid birthday date', severity: 'warning' };

  const days = async () => within(await select('Day')).getAllByRole('option').length - 1;

  it('offers 29 days in February and 31 otherwise', async () => {
    const { user } = show();
    expect(await days()).toBe(31);
    await user.selectOptions(await select('Month'), '02 – February');
    expect(await days()).toBe(29);
    await user.selectOptions(await select('Month'), '04 – April');
    expect(await days()).toBe(31);
  });

  it.each([
    ['a month alone', 5, 0],
    ['a day alone', 0, 5],
    ['a day that its month does not have', 4, 31],
  ])('is refused where it is %s', async (_case, bmonth, bday) => {
    const { user } = show();
    await user.selectOptions(await select('Month'), String(bmonth));
    await user.selectOptions(await select('Day'), String(bday));
    await user.click(update());
    expect(snackbar()).toMatchObject(WARNING);
    for (const name of ['Month', 'Day']) expect(screen.getByLabelText(name)).toBeInvalid();
    expect(screen.getByRole('group', { name: /Birthday/ })).toHaveAccessibleDescription(
      WARNING.content,
    );
    expect(saved).toEqual([]);
    await user.selectOptions(await select('Day'), '0');
    expect(screen.queryByText(WARNING.content)).not.toBeInTheDocument();
  });

  it('loses a day that the month does not offer', async () => {
    const { user } = show();
    await user.selectOptions(await select('Day'), '31');
    await user.selectOptions(await select('Month'), '2');
    expect(await select('Day')).toHaveValue('0');
  });

  it('can be cleared, one by one or at once', async () => {
    profile = aProfile({ bmonth: 5, bday: 4 });
    const { user } = show();
    expect(await select('Month')).toHaveDisplayValue('05 – May');
    await user.selectOptions(await select('Month'), 'No month');
    expect(await select('Day')).toHaveDisplayValue('4');
    await user.click(screen.getByRole('button', { name: 'Clear birthday' }));
    await user.click(update());
    await waitFor(() => expect(saved).toEqual([aProfile()]));
  });
});

describe('where one is signed in', () => {
  const places = () => screen.findByRole('region', { name: 'Where you are signed in' });

  it('is told by browser, and ended everywhere else', async () => {
    const phone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1';
    sessions = [aSession(), aSession({ id: 'other', agent: phone, current: false })];
    server.use(
      http.post('*/api/account/sessions/revoke-others', () => HttpResponse.json([aSession()])),
    );
    const { user } = show();
    const region = within(await places());
    expect(await region.findByText('Chrome on Windows')).toBeVisible();
    expect(region.getByText('Safari on iPhone')).toBeVisible();
    await user.click(region.getByRole('button', { name: 'Sign out everywhere else' }));
    expect(await region.findByText('You are signed in nowhere else.')).toBeVisible();
    expect(region.queryByText('Safari on iPhone')).not.toBeInTheDocument();
    expect(snackbar().content).toBe('You are signed out everywhere else.');
    expect(region.getByRole('heading')).toHaveFocus();
  });

  it('leaves the rest of the screen alone where it cannot be loaded', async () => {
    server.use(http.get('*/api/account/sessions', () => refusal(500, 'internal_error', 'Broken.')));
    show();
    expect(await within(await places()).findByRole('alert')).toHaveTextContent('Broken.');
    expect(await field('First name')).toBeVisible();
  });
});

/** jsdom's files have no `text`. */
function contentOf(blob: Blob): Promise<unknown> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(JSON.parse(String(reader.result)));
    reader.readAsText(blob);
  });
}

describe('one’s data', () => {
  const download = () => screen.findByRole('button', { name: 'Download your data' });

  it('is saved as one file', async () => {
    const files: { name: string; content: Promise<unknown> }[] = [];
    let made = new Blob();
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        made = blob;
        return 'blob:own-data';
      },
      revokeObjectURL: () => undefined,
    });
    // jsdom cannot follow a link; what it would save is what matters.
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      files.push({ name: this.download, content: contentOf(made) });
    });
    server.use(http.get('*/api/account/export', () => HttpResponse.json({ profile: aProfile() })));
    const { user } = show();
    await user.dblClick(await download());
    expect(await screen.findByText('Your data is downloading.')).toBeInTheDocument();
    expect(files.map(({ name }) => name)).toEqual(['your-data.json']);
    expect(await files[0]?.content).toEqual({ profile: aProfile() });
  });

  it('says where that fails', async () => {
    server.use(http.get('*/api/account/export', () => refusal(500, 'internal_error', 'Broken.')));
    const { user } = show();
    await user.click(await download());
    await waitFor(() =>
      expect(snackbar()).toMatchObject({ content: 'Broken.', severity: 'error' }),
    );
    expect(await download()).not.toHaveAttribute('aria-busy');
  });
});
