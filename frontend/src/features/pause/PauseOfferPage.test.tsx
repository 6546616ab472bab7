import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { PauseOffer, Plan } from '@/lib/api/types';
import {
  aGospelPlan,
  aKidsPlan,
  aPlan,
  PAUSE_SCHEDULED,
  PAUSED,
  someManagePlans,
} from '@/testing/data';
import { renderScreen } from '@/testing/render';
import { refusal, server } from '@/testing/server';
import PauseOfferPage from './PauseOfferPage';

const PAUSE_ALL = '*/api/account/pause';
const PAUSE_SOME = '*/api/account/subscriptions/multiple-pause';
const DATES = { pauseDate: '2026-12-10T15:00:00Z', resumeDate: '2027-01-09T15:00:00Z' };

function anOffer(differing: Partial<PauseOffer> = {}): PauseOffer {
  const pictures = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => [
      `${kind}TitleImage${index + 1}`,
      `/art/${kind}-${index + 1}.svg`,
    ]);
  return {
    id: 'faith-family-plan',
    name: 'Faith & Family',
    browseUrl: 'https://faith-family.example.com/browse',
    ...Object.fromEntries([...pictures('recommended', 4), ...pictures('upcoming', 3)]),
    upcomingImageText1: 'Winter at Willow Farm',
    upcomingImageText2: 'The Lighthouse Keepers',
    upcomingImageText3: null,
    ...differing,
  } as PauseOffer;
}

let plans: Plan[] = [];
let offers: PauseOffer[] = [];
let periods: object[] = [];

beforeEach(() => {
  plans = [aPlan(), aGospelPlan()];
  offers = [anOffer()];
  periods = [
    { subId: 'sub_faith', ...DATES },
    { subId: 'sub_gospel', ...DATES },
  ];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(someManagePlans({ existingPlans: plans })),
    ),
    http.get('*/api/account/pause/estimate', ({ request }) => {
      expect(new URL(request.url).searchParams.get('days')).toBe('30');
      return HttpResponse.json({ ...DATES, plans: periods });
    }),
    http.get('*/api/account/pause-offer', () => HttpResponse.json(offers)),
  );
});

const show = (query = '') => renderScreen(<PauseOfferPage />, { at: `/pause-offer${query}` });
const button = () => screen.findByRole('button', { name: 'PAUSE MY SUBSCRIPTION' });

interface Asked {
  query: string;
  body: string;
  key: string | null;
}

/** Answers a pause and remembers what was asked. */
function takePauses(path: string, ...answers: (() => Response)[]): Asked[] {
  const asked: Asked[] = [];
  const done = () => HttpResponse.json({ plans, ...DATES });
  server.use(
    http.post(path, async ({ request }) => {
      asked.push({
        query: new URL(request.url).search,
        body: await request.text(),
        key: request.headers.get('Idempotency-Key'),
      });
      return (answers.shift() ?? done)();
    }),
  );
  return asked;
}

describe('the banner', () => {
  it('says when the pause starts and ends, and what is paused', async () => {
    show();
    const banner = within(await screen.findByRole('region', { name: 'Need A Break?' }));
    expect(banner.getByText('December 10, 2026')).toBeInTheDocument();
    expect(banner.getByText('January 9, 2027')).toBeInTheDocument();
    expect(
      banner.getByText(/Pause for 30 days and keep your watch history, preferences and favorites/),
    ).toBeInTheDocument();
    expect(banner.getByText(/You are about to pause/)).toHaveTextContent(
      'You are about to pause Faith & Family and Gospel TV.',
    );
  });

  it('says whose dates are whose where they differ', async () => {
    periods = [
      {
        subId: 'sub_gospel',
        pauseDate: '2026-12-20T15:00:00Z',
        resumeDate: '2027-01-19T15:00:00Z',
      },
      { subId: 'sub_faith', ...DATES },
    ];
    show();
    const said = (await screen.findAllByText(/Your access to/)).map(
      ({ textContent }) => textContent,
    );
    expect(said).toEqual([
      expect.stringMatching(/Your access to Faith & Family .* December 10, 2026.* January 9, 2027/),
      expect.stringMatching(/Your access to Gospel TV .* December 20, 2026.* January 19, 2027/),
    ]);
  });

  it('offers no choice where there is only one to pause, and says why the other cannot be', async () => {
    plans = [aPlan(), aGospelPlan(PAUSED)];
    show();
    await button();
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
    expect(screen.getByText(/is already paused/)).toHaveTextContent(
      'Gospel TV is already paused and resumes automatically on December 2, 2026.',
    );
  });

  it.each<[string, Plan[]]>([
    ['everything is paused or about to be', [aPlan(PAUSED), aGospelPlan(PAUSE_SCHEDULED)]],
    ['nothing is held', []],
  ])('is not there where %s', async (_case, held) => {
    plans = held;
    offers = [];
    show();
    expect(await screen.findByText('There is nothing to pause right now')).toBeInTheDocument();
    expect(screen.queryByText('Need A Break?')).not.toBeInTheDocument();
  });
});

describe('pausing', () => {
  it('pauses everything for 30 days where nothing is selected, and shows the summary', async () => {
    const asked = takePauses(PAUSE_ALL);
    const { user } = show();
    await user.click(await button());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/pause-summary');
    expect(asked).toEqual([
      { query: '?days=30&offer=pause_offer', body: '', key: expect.stringMatching(/^\w{32}$/) },
    ]);
  });

  it('asks for no dates once nothing is left to pause', async () => {
    const asked = vi.fn(() => HttpResponse.json({ ...DATES, plans: periods }));
    server.use(http.get('*/api/account/pause/estimate', asked));
    const { user } = show();
    await button();
    plans = [aPlan(PAUSE_SCHEDULED), aGospelPlan(PAUSE_SCHEDULED)];
    takePauses(PAUSE_ALL);
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('pauses only what the address selects', async () => {
    const asked = takePauses(PAUSE_SOME);
    const { user } = show('?ids=sub_gospel');
    expect(await screen.findByRole('checkbox', { name: /Gospel TV/ })).toBeChecked();
    expect(screen.getByRole('checkbox', { name: /Faith & Family/ })).not.toBeChecked();
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'pause_offer' },
    ]);
  });

  it('pauses only what is left checked', async () => {
    const asked = takePauses(PAUSE_SOME);
    const { user } = show();
    await user.click(await screen.findByRole('checkbox', { name: /Faith & Family/ }));
    expect(screen.getByText(/You are about to pause/)).toHaveTextContent(
      'You are about to pause Gospel TV.',
    );
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(asked.map(({ body }) => JSON.parse(body))).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'pause_offer' },
    ]);
  });

  it('keeps at least one chosen, and says so', async () => {
    const { user } = show('?ids=sub_gospel');
    const box = await screen.findByRole('checkbox', { name: /Gospel TV/ });
    await user.click(box);
    expect(screen.getByText('Choose at least one subscription to pause.')).toBeInTheDocument();
    expect(box).toBeChecked();
  });

  it('never pauses everything because what the address selects can no longer be paused', async () => {
    const asked = [...takePauses(PAUSE_ALL), ...takePauses(PAUSE_SOME)];
    plans = [aPlan(), aGospelPlan(), aKidsPlan(PAUSED)];
    const { user } = show('?ids=sub_kids');
    await user.click(await button());
    expect(screen.getByText('Choose at least one subscription to pause.')).toBeInTheDocument();
    expect(asked).toEqual([]);
  });

  it('says what failed, keeps everything, and asks about the same intent again', async () => {
    const down = () => refusal(503, 'billing_unavailable', 'Our billing service is away.');
    const asked = takePauses(PAUSE_SOME, down);
    const { user } = show('?ids=sub_gospel');
    await user.click(await button());
    expect(await screen.findByText('Our billing service is away.')).toBeInTheDocument();
    expect(screen.getByRole('checkbox', { name: /Gospel TV/ })).toBeChecked();
    await user.click(await button());
    await screen.findByTestId('elsewhere');
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
    expect(asked).toHaveLength(2);
  });

  it('acts once however often it is pressed', async () => {
    const asked = takePauses(PAUSE_ALL);
    const { user } = show();
    await user.dblClick(await button());
    await screen.findByTestId('elsewhere');
    expect(asked).toHaveLength(1);
  });
});

describe('the way on to cancelling', () => {
  const onwards = () => screen.findByRole('link', { name: 'No thanks, continue to cancel' });

  it('is as wide as the pause, and is about everything where nothing is selected', async () => {
    show();
    expect(await onwards()).toHaveAttribute('href', '/cancelAll');
    expect((await onwards()).className).toBe((await button()).className);
  });

  it('takes what is selected along, here and below each service', async () => {
    plans = [aPlan(), aGospelPlan(), aKidsPlan()];
    const { user } = show('?ids=sub_gospel&ids=sub_kids');
    expect(await onwards()).toHaveAttribute('href', '/cancelAll?ids=sub_gospel&ids=sub_kids');
    const below = await screen.findAllByRole('link', {
      name: 'No thanks, please cancel my subscription.',
    });
    expect(below.map((link) => link.getAttribute('href'))).toEqual([
      '/cancelAll?ids=sub_gospel&ids=sub_kids',
      '/cancelAll?ids=sub_gospel&ids=sub_kids',
    ]);
    await user.click(screen.getByRole('checkbox', { name: /Kids/ }));
    await waitFor(() => expect(below[0]).toHaveAttribute('href', '/cancelAll?ids=sub_gospel'));
  });

  it('is there for what cannot be paused', async () => {
    plans = [aPlan(PAUSED)];
    show('?ids=sub_faith');
    expect(await onwards()).toHaveAttribute('href', '/cancelAll?ids=sub_faith');
  });
});

describe('what is worth staying for', () => {
  it('shows four favorites and three to come, each with words for its picture', async () => {
    show();
    expect(
      await screen.findByRole('heading', { name: 'Watch Some Our Favorites Before You Go' }),
    ).toBeInTheDocument();
    expect(
      screen.getByRole('heading', { name: "Don't Miss These Upcoming Favorites!" }),
    ).toBeInTheDocument();
    expect(
      screen.getAllByRole('img', { name: /A favorite on Faith & Family, \d of 4/ }),
    ).toHaveLength(4);
    expect(screen.getAllByRole('img', { name: /Coming to Faith & Family, \d of 3/ })).toHaveLength(
      3,
    );
    expect(screen.getByText('The Lighthouse Keepers')).toBeInTheDocument();
    for (const image of screen.getAllByRole('img', { name: /Faith & Family/ })) {
      expect(image).toHaveAttribute('loading', 'lazy');
    }
  });

  it('returns to watching in the same window', async () => {
    show();
    const [link] = await screen.findAllByRole('link', { name: /^RETURN TO WATCHING/ });
    expect(link).toHaveAttribute('href', 'https://faith-family.example.com/browse');
    expect(link).not.toHaveAttribute('target');
  });

  it.each(['Minno', 'Minno-Plan'])('promises nothing to come for %s', async (id) => {
    offers = [anOffer({ id, name: 'Kids' })];
    show();
    await screen.findByRole('heading', { name: 'Kids' });
    expect(screen.queryByText("Don't Miss These Upcoming Favorites!")).not.toBeInTheDocument();
  });

  it('reads out what operators say of a picture', async () => {
    offers = [anOffer({ recommendedTitleText2: 'Cedar Creek' })];
    show();
    expect(await screen.findByRole('img', { name: 'Cedar Creek' })).toHaveAttribute(
      'src',
      '/art/recommended-2.svg',
    );
  });

  it('does without what operators have not set', async () => {
    offers = [anOffer({ recommendedTitleImage2: null, upcomingTitleImage1: null })];
    show();
    await waitFor(() => expect(screen.getAllByRole('img', { name: /A favorite/ })).toHaveLength(3));
    expect(screen.getAllByRole('img', { name: /Coming to/ })).toHaveLength(2);
  });

  it('does not stand in the way of pausing when it fails', async () => {
    server.use(
      http.get('*/api/account/pause-offer', () => refusal(500, 'internal_error', 'Broken.')),
    );
    show();
    expect(await screen.findByText('Broken.')).toBeInTheDocument();
    expect(await button()).toBeEnabled();
  });
});

it('says that the plans could not be loaded, and tries again', async () => {
  server.use(
    http.get('*/api/account/manage-plans', () => refusal(500, 'internal_error', 'Broken.'), {
      once: true,
    }),
  );
  const { user } = show();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await button()).toBeInTheDocument();
});
