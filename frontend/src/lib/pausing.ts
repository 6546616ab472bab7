import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';

import type { PauseAnswer, PauseEstimate, Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { formatDate } from '@/lib/formats';
import { get, post } from '@/lib/http';
import { paths } from '@/lib/paths';
import { usePlansAfterChange } from '@/lib/planChanges';
import type { Hold } from '@/lib/useHeldStill';

/** How long a pause lasts. */
export const PAUSE_DAYS = 30;

/** The screens that offer a pause instead of an end, as operators count them. */
type OfferingScreen = 'pause_offer' | 'cancel_screen';

/** When a pause of one subscription would start and end. */
export type PausePeriod = PauseEstimate['plans'][number];

/**
 * When a pause of each subscription that can be paused would start and end; 409 when none can. Asked
 * anew by each visit, and outside the account's branch: right after a pause there may be none left.
 */
export const pauseEstimateOptions = queryOptions({
  queryKey: ['pause-estimate', PAUSE_DAYS],
  queryFn: ({ signal }) =>
    get<PauseEstimate>('/api/account/pause/estimate', { query: { days: PAUSE_DAYS }, signal }),
  staleTime: 0,
  gcTime: 0,
});

/** Which subscriptions to pause, none named standing for all that can be, and what the screen's survey was answered. */
interface PauseOrder {
  ids: readonly string[];
  answers?: Partial<Record<'reason' | 'satisfactionLevel' | 'dailyUsage', string>>;
}

/** Pauses subscriptions at the end of their terms. */
function pause(
  { ids, answers }: PauseOrder,
  offer: OfferingScreen,
  idempotencyKey: string,
): Promise<PauseAnswer> {
  if (ids.length === 0) {
    const query = { days: PAUSE_DAYS, offer };
    return post<PauseAnswer>('/api/account/pause', { query, idempotencyKey });
  }
  return post<PauseAnswer>('/api/account/subscriptions/multiple-pause', {
    body: { subscriptionId: ids, offer, ...answers },
    idempotencyKey,
  });
}

/**
 * Takes the pause that a screen offered and goes to its summary. `hold` keeps the screen as it is until
 * that has come; after a refusal the plans and the dates are read anew.
 */
export function usePause(offer: OfferingScreen, hold: Hold) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { taken, stale } = usePlansAfterChange();
  const send = (order: PauseOrder, idempotencyKey: string) => {
    hold(true);
    return pause(order, offer, idempotencyKey);
  };
  return useCommand<PauseAnswer, PauseOrder>(send, {
    onSuccess: ({ plans }) => {
      taken(plans);
      void navigate(paths.pauseSummary);
    },
    onError: () => {
      hold(false);
      stale();
      void client.invalidateQueries({ queryKey: pauseEstimateOptions.queryKey });
    },
  });
}

/** From when to when some plans would be paused. */
export interface PauseSpan {
  pauseDate: string;
  resumeDate: string;
  plans: Plan[];
}

/** The chosen plans by their dates, soonest first. */
export function pauseSpans(chosen: readonly Plan[], periods: readonly PausePeriod[]): PauseSpan[] {
  const spans = new Map<string, PauseSpan>();
  for (const { subId, pauseDate, resumeDate } of periods) {
    const plan = chosen.find((one) => one.subId === subId);
    if (!plan) continue;
    const days = formatDate(pauseDate) + formatDate(resumeDate);
    const span = spans.get(days) ?? { pauseDate, resumeDate, plans: [] };
    spans.set(days, { ...span, plans: [...span.plans, plan] });
  }
  return [...spans.values()].sort((one, other) => one.pauseDate.localeCompare(other.pauseDate));
}
