import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { PauseOffer, Plan } from '@/lib/api/types';
import {
  ENDING,
  makeFailedPayment,
  makeGospelPlan,
  makeKidsPlan,
  makeManagePlans,
  makeNextBill,
  makePaymentFailure,
  makePlan,
  PAUSE_SCHEDULED,
  PAUSED,
} from '@/testing/fixtures';
import { renderScreen } from '@/testing/renderScreen';
import { errorResponse, server } from '@/testing/server';
import PauseOfferPage from './PauseOfferPage';

const PAUSE_ALL = '*/api/account/pause';
const PAUSE_SOME = '*/api/account/subscriptions/multiple-pause';
const DATES = { pauseDate: '2026-12-10T15:00:00Z', resumeDate: '2027-01-09T15:00:00Z' };

function makeOffer(overrides: Partial<PauseOffer> = {}): PauseOffer {
  const makePictures = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => [
      `${kind}TitleImage${index + 1}`,
      `/art/${kind}-${index + 1}.svg`,
    ]);
  return {
    id: 'faith-family-plan',
    name: 'Faith & Family',
    browseUrl: 'https://faith-family.example.com/browse',
    ...Object.fromEntries([...makePictures('recommended', 4), ...makePictures('upcoming', 3)]),
    upcomingImageText1: 'Winter at Willow Farm',
    upcomingImageText2: 'The Lighthouse Keepers',
    upcomingImageText3: null,
    ...overrides,
  } as PauseOffer;
}

let plans: Plan[] = [];
let offers: PauseOffer[] = [];
let periods: object[] = [];

beforeEach(() => {
  plans = [makePlan(), makeGospelPlan()];
  offers = [makeOffer()];
  periods = [
    { subId: 'sub_faith', ...DATES },
    { subId: 'sub_gospel', ...DATES },
  ];
  server.use(
    http.get('*/api/account/manage-plans', () =>
      HttpResponse.json(makeManagePlans({ existingPlans: plans })),
    ),
    http.get('*/api/account/pause/estimate', ({ request }) => {
      expect(new URL(request.url).searchParams.get('days')).toBe('30');
      return HttpResponse.json({ ...DATES, plans: periods });
    }),
    http.get('*/api/account/pause-offer', () => HttpResponse.json(offers)),
  );
});

const renderPage = (query = '') => renderScreen(<PauseOfferPage />, { at: `/pause-offer${query}` });
const findPauseButton = () => screen.findByRole('button', { name: 'PAUSE MY SUBSCRIPTION' });

interface RecordedRequest {
  query: string;
  body: string;
  key: string | null;
}

/** Answers pauses and records the requests. */
function recordPauses(path: string, ...answers: (() => Response)[]): RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  const answerPaused = () => HttpResponse.json({ plans, ...DATES });
  server.use(
    http.post(path, async ({ request }) => {
      requests.push({
        query: new URL(request.url).search,
        body: await request.text(),
        key: request.headers.get('Idempotency-Key'),
      });
      return (answers.shift() ?? answerPaused)();
    }),
  );
  return requests;
}

describe('the banner', () => {
  // shows: pause-1, pause-2, pause-3
  it('shows the dates of the pause and the plans', async () => {
    renderPage();
    const banner = within(await screen.findByRole('region', { name: 'Need A Break?' }));
    expect(banner.getByText('December 10, 2026')).toBeInTheDocument();
    expect(banner.getByText('January 9, 2027')).toBeInTheDocument();
    expect(
      banner.getByText(/Pause for 30 days and keep your watch history, preferences and favorites/),
    ).toBeInTheDocument();
    expect(banner.getByText(/You’re pausing/)).toHaveTextContent(
      'You’re pausing Faith & Family and Gospel TV.',
    );
  });

  it('does not say that nothing is charged while a bill is overdue', async () => {
    const failure = makePaymentFailure({
      hasPaymentFailure: true,
      failedPayments: [makeFailedPayment()],
    });
    server.use(http.get('*/api/account/check-payment-failure', () => HttpResponse.json(failure)));
    renderPage();
    expect(await screen.findByText(/^You pay nothing today/)).toBeVisible();
    await waitFor(() =>
      expect(screen.getByText(/^You pay nothing today/)).toHaveTextContent(
        'You pay nothing today and nothing while paused, except the $6.99 you still owe.',
      ),
    );
  });

  it('names the plans of each date if the dates differ', async () => {
    periods = [
      {
        subId: 'sub_gospel',
        pauseDate: '2026-12-20T15:00:00Z',
        resumeDate: '2027-01-19T15:00:00Z',
      },
      { subId: 'sub_faith', ...DATES },
    ];
    renderPage();
    const timelines = await screen.findAllByRole('list', { name: /^Pause of/ });
    expect(timelines.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(
        /Your access to Faith & Family .*December 10, 2026.*Faith & Family resumes .*January 9, 2027/,
      ),
      expect.stringMatching(
        /Your access to Gospel TV .*December 20, 2026.*Gospel TV resumes .*January 19, 2027/,
      ),
    ]);
  });

  // shows: pause-12
  it('says what is billed on the day of the resume, for the chosen plans', async () => {
    const makeBill = (plan: Plan, amount: number | null) =>
      makeNextBill({ date: DATES.resumeDate, amount, plans: [plan.subId] });
    const bills = [makeBill(makePlan(), 629), makeBill(makeGospelPlan(), 719)];
    server.use(
      http.get('*/api/account/pause/estimate', ({ request }) => {
        const ids = new URL(request.url).searchParams.getAll('subscriptionId');
        const nextBills = ids.length === 0 ? bills : [makeBill(makeGospelPlan(), 799)];
        return HttpResponse.json({ ...DATES, plans: periods, nextBills });
      }),
    );
    const { user } = renderPage();
    const timeline = await screen.findByRole('list', {
      name: 'Pause of Faith & Family and Gospel TV',
    });
    expect(timeline).toHaveTextContent(
      'Resumes automaticallyJanuary 9, 2027$6.29 for Faith & Family and $7.19 for Gospel TV are billed that day.',
    );
    await user.click(screen.getByRole('checkbox', { name: /Faith & Family/ }));
    expect(await screen.findByText('$7.99 is billed that day.')).toBeVisible();

    bills[0] = makeBill(makePlan(), null);
    await user.click(screen.getByRole('checkbox', { name: /Faith & Family/ }));
    await waitFor(() => expect(screen.queryByText(/billed that day/)).toBeNull());
  });

  it('offers a single pausable plan as a choice, and says why the other cannot be paused', async () => {
    plans = [makePlan(), makeGospelPlan(PAUSED)];
    renderPage();
    await findPauseButton();
    expect(screen.getByRole('checkbox')).toBeChecked();
    expect(screen.getByText(/is already paused/)).toHaveTextContent(
      'Gospel TV is already paused and resumes automatically on December 2, 2026.',
    );
  });

  it.each<[string, Plan[]]>([
    ['everything is paused or will be', [makePlan(PAUSED), makeGospelPlan(PAUSE_SCHEDULED)]],
    ['there are no plans', []],
  ])('is not shown if %s', async (_case, heldPlans) => {
    plans = heldPlans;
    offers = [];
    renderPage();
    expect(await screen.findByText('Nothing to pause right now')).toBeInTheDocument();
    expect(screen.queryByText('Need A Break?')).not.toBeInTheDocument();
  });
});

describe('pausing', () => {
  // shows: pause-4
  it('pauses everything shown for 30 days without a selection, and shows the summary', async () => {
    const requests = recordPauses(PAUSE_ALL);
    const { user } = renderPage();
    await user.click(await findPauseButton());
    expect(await screen.findByTestId('elsewhere')).toHaveTextContent('/pause-summary');
    expect(requests).toEqual([
      {
        query: '?days=30&offer=pause_offer&subscriptionId=sub_faith&subscriptionId=sub_gospel',
        body: '',
        key: expect.stringMatching(/^\w{32}$/),
      },
    ]);
  });

  it('requests no dates once nothing is left to pause', async () => {
    const requests = vi.fn(() => HttpResponse.json({ ...DATES, plans: periods }));
    server.use(http.get('*/api/account/pause/estimate', requests));
    const { user } = renderPage();
    await findPauseButton();
    plans = [makePlan(PAUSE_SCHEDULED), makeGospelPlan(PAUSE_SCHEDULED)];
    recordPauses(PAUSE_ALL);
    await user.click(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(requests).toHaveBeenCalledTimes(1);
  });

  // shows: pause-5
  it('pauses only the plans in the URL', async () => {
    const requests = recordPauses(PAUSE_SOME);
    const { user } = renderPage('?ids=sub_gospel');
    expect(await screen.findByRole('checkbox', { name: /Gospel TV/ })).toBeChecked();
    expect(screen.getByRole('checkbox', { name: /Faith & Family/ })).not.toBeChecked();
    await user.click(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'pause_offer' },
    ]);
  });

  it('pauses only the checked plans', async () => {
    const requests = recordPauses(PAUSE_SOME);
    const { user } = renderPage();
    await user.click(await screen.findByRole('checkbox', { name: /Faith & Family/ }));
    expect(screen.getByText(/You’re pausing/)).toHaveTextContent('You’re pausing Gospel TV.');
    await user.click(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
      { subscriptionId: ['sub_gospel'], offer: 'pause_offer' },
    ]);
  });

  it('keeps at least one plan checked, and says so', async () => {
    const { user } = renderPage('?ids=sub_gospel');
    const box = await screen.findByRole('checkbox', { name: /Gospel TV/ });
    await user.click(box);
    expect(screen.getByText('Select at least one subscription to pause.')).toBeInTheDocument();
    expect(box).toBeChecked();
  });

  it('never pauses everything if the plans in the URL can no longer be paused', async () => {
    const requests = [...recordPauses(PAUSE_ALL), ...recordPauses(PAUSE_SOME)];
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan(PAUSED)];
    const { user } = renderPage('?ids=sub_kids');
    await user.click(await findPauseButton());
    expect(screen.getByText('Select at least one subscription to pause.')).toBeInTheDocument();
    expect(requests).toEqual([]);
  });

  it('offers what is left after going back from a pause, and refuses to pause nothing', async () => {
    const requests = recordPauses(PAUSE_ALL);
    plans = [makePlan(), makeGospelPlan(PAUSE_SCHEDULED)];
    const { user } = renderPage('?ids=sub_gospel');
    const box = await screen.findByRole('checkbox', { name: /Faith & Family/ });
    expect(box).not.toBeChecked();
    expect(screen.getByRole('alert')).toHaveTextContent(
      'Your selection can’t be paused anymore. Select another subscription.',
    );
    await user.click(await findPauseButton());
    expect(screen.getByRole('alert')).toHaveTextContent(
      'Select at least one subscription to pause.',
    );
    expect(box).toHaveFocus();
    await user.click(box);
    expect(screen.getByText(/You’re pausing/)).toHaveTextContent('You’re pausing Faith & Family.');
    await user.click(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(requests).toHaveLength(1);
  });

  // shows: pause-11
  it('shows a failure, keeps the selection, and repeats the same intent', async () => {
    const refuseUnavailable = () =>
      errorResponse(503, 'billing_unavailable', 'Our billing service is away.');
    const requests = recordPauses(PAUSE_SOME, refuseUnavailable);
    const { user } = renderPage('?ids=sub_gospel');
    await user.click(await findPauseButton());
    expect(await screen.findByText('Our billing service is away.')).toBeInTheDocument();
    expect(screen.getByRole('checkbox', { name: /Gospel TV/ })).toBeChecked();
    await user.click(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    expect(requests).toHaveLength(2);
  });

  it('does not lose the focus if it was made although the answer was lost', async () => {
    const dropConnection = () => {
      plans = [makePlan(PAUSE_SCHEDULED), makeGospelPlan(PAUSE_SCHEDULED)];
      return HttpResponse.error();
    };
    recordPauses(PAUSE_ALL, dropConnection);
    const { user } = renderPage();
    await user.click(await findPauseButton());
    expect(await screen.findByText('Nothing to pause right now')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Pause Your Subscription' })).toHaveFocus();
  });

  it('acts once however often it is clicked', async () => {
    const requests = recordPauses(PAUSE_ALL);
    const { user } = renderPage();
    await user.dblClick(await findPauseButton());
    await screen.findByTestId('elsewhere');
    expect(requests).toHaveLength(1);
  });
});

describe('the link to cancel instead', () => {
  const findCancelLink = () => screen.findByRole('link', { name: 'No thanks, continue to cancel' });

  // shows: pause-6
  it('looks like the pause button, and cancels everything without a selection', async () => {
    renderPage();
    expect(await findCancelLink()).toHaveAttribute('href', '/cancelAll');
    expect((await findCancelLink()).className).toBe((await findPauseButton()).className);
  });

  // shows: pause-6, pause-10
  it('keeps the selection, here and below each service', async () => {
    plans = [makePlan(), makeGospelPlan(), makeKidsPlan()];
    const { user } = renderPage('?ids=sub_gospel&ids=sub_kids');
    expect(await findCancelLink()).toHaveAttribute(
      'href',
      '/cancelAll?ids=sub_gospel&ids=sub_kids',
    );
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

  // shows: pause-6, pause-10
  it('is shown nowhere if nothing can be canceled', async () => {
    plans = [makePlan(ENDING)];
    renderPage();
    expect(await screen.findByText(/^Faith & Family ends/)).toHaveTextContent(
      'Faith & Family ends on December 4, 2026. To pause it, keep it first.',
    );
    expect(await screen.findByRole('heading', { name: 'Faith & Family' })).toBeVisible();
    expect(screen.queryByRole('link', { name: /No thanks/ })).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute(
      'href',
      '/dashboard',
    );
  });

  it('is shown if the dates of a pause cannot be loaded', async () => {
    server.use(
      http.get('*/api/account/pause/estimate', () =>
        errorResponse(503, 'billing_unavailable', 'Nothing was changed.'),
      ),
    );
    renderPage('?ids=sub_faith');
    expect(await screen.findByRole('alert')).toHaveTextContent('Nothing was changed.');
    expect(await findCancelLink()).toHaveAttribute('href', '/cancelAll?ids=sub_faith');
  });

  it('is shown for plans that cannot be paused', async () => {
    plans = [makePlan(PAUSED)];
    renderPage('?ids=sub_faith');
    expect(await findCancelLink()).toHaveAttribute('href', '/cancelAll?ids=sub_faith');
  });
});

describe('the titles worth staying for', () => {
  // shows: pause-7, api-30
  it('shows four favorites and three upcoming titles, each with alternative text', async () => {
    renderPage();
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

  // shows: pause-9
  it('links back to watching in the same window', async () => {
    renderPage();
    const [link] = await screen.findAllByRole('link', { name: /^RETURN TO WATCHING/ });
    expect(link).toHaveAttribute('href', 'https://faith-family.example.com/browse');
    expect(link).not.toHaveAttribute('target');
  });

  // shows: pause-8
  it.each(['Minno', 'Minno-Plan'])('shows no upcoming titles for %s', async (id) => {
    offers = [makeOffer({ id, name: 'Kids' })];
    renderPage();
    await screen.findByRole('heading', { name: 'Kids' });
    expect(screen.queryByText("Don't Miss These Upcoming Favorites!")).not.toBeInTheDocument();
  });

  it('uses the operators’ text as a picture’s alternative text', async () => {
    offers = [makeOffer({ recommendedTitleText2: 'Cedar Creek' })];
    renderPage();
    expect(await screen.findByRole('img', { name: 'Cedar Creek' })).toHaveAttribute(
      'src',
      '/art/recommended-2.svg',
    );
  });

  it('skips titles that operators have not set', async () => {
    offers = [makeOffer({ recommendedTitleImage2: null, upcomingTitleImage1: null })];
    renderPage();
    await waitFor(() => expect(screen.getAllByRole('img', { name: /A favorite/ })).toHaveLength(3));
    expect(screen.getAllByRole('img', { name: /Coming to/ })).toHaveLength(2);
  });

  // shows: pause-13
  it('come first for the selected plan, with the others folded', async () => {
    plans = [makePlan(), makeGospelPlan()];
    const gospel = { id: makeGospelPlan().id, name: 'Gospel TV' };
    offers = [makeOffer(), makeOffer(gospel)];
    const { user } = renderPage('?ids=sub_gospel');
    const names = () =>
      screen
        .getAllByRole('heading', { level: 2, name: /Faith|Gospel/ })
        .map(({ textContent }) => textContent);
    await screen.findByRole('region', { name: 'Gospel TV' });
    expect(names()).toEqual(['Gospel TV', 'Faith & Family']);
    const heading = screen.getByRole('heading', { name: 'Faith & Family' });
    const folded = heading.closest('details');
    expect(folded).not.toHaveAttribute('open');
    await user.click(heading);
    expect(folded).toHaveAttribute('open');

    await user.click(screen.getByRole('checkbox', { name: /Faith & Family/ }));
    await screen.findByRole('region', { name: 'Faith & Family' });
    expect(names()).toEqual(['Faith & Family', 'Gospel TV']);
  });

  it('does not prevent pausing if they fail to load', async () => {
    server.use(
      http.get('*/api/account/pause-offer', () => errorResponse(500, 'internal_error', 'Broken.')),
    );
    renderPage();
    expect(await screen.findByText('Broken.')).toBeInTheDocument();
    expect(await findPauseButton()).toBeEnabled();
  });
});

it('shows a failure to load the plans, and retries', async () => {
  server.use(
    http.get('*/api/account/manage-plans', () => errorResponse(500, 'internal_error', 'Broken.'), {
      once: true,
    }),
  );
  const { user } = renderPage();
  await user.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await findPauseButton()).toBeInTheDocument();
});

it('says that nothing is left to pause once a retry has found that out', async () => {
  server.use(
    http.get('*/api/account/pause/estimate', () =>
      errorResponse(409, 'nothing_to_pause', 'Nothing can be paused.'),
    ),
  );
  const { user } = renderPage();
  const retry = await screen.findByRole('button', { name: 'Try again' });
  plans = [makePlan(PAUSED)];
  await user.click(retry);
  expect(await screen.findByText('Nothing to pause right now')).toBeVisible();
  expect(screen.getByText(/^Faith & Family is already paused/)).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
