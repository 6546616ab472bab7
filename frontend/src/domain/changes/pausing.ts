import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { getJson, postJson } from '@/lib/api/http';
import { untilAmountsAreKnown } from '@/lib/api/queries';
import type { PauseAnswer, PauseEstimate, Plan } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { formatDate } from '@/lib/formats';
import type { SetFrozen } from '@/lib/hooks/useFrozen';
import { paths } from '@/lib/paths';
import { createReceiptState } from './receipts';
import { usePlansAfterChange } from './usePlansAfterChange';

/** The length of a pause. */
export const PAUSE_DAYS = 30;

/** What the summary says right after pausing; later it may be untrue. */
const NOT_CHARGED = 'You weren’t charged today.';

/** The screens that offer a pause instead of a cancellation, as reported to operators. */
type OfferingScreen = 'pause_offer' | 'cancel_screen';

/** When a pause of one subscription would start and end. */
export type PausePeriod = PauseEstimate['plans'][number];

const PAUSE_ESTIMATES = ['pause-estimate', PAUSE_DAYS];

/**
 * The start and end that a pause of these subscriptions would have, and the bills after it; 409 if
 * there is none. An empty list means all pausable ones. Never cached, and outside the account's
 * query branch, because right after a pause none may be left.
 */
export function pauseEstimateOptions(ids: readonly string[] = []) {
  return queryOptions({
    queryKey: [...PAUSE_ESTIMATES, ...ids],
    queryFn: ({ signal }) =>
      getJson<PauseEstimate>('/api/account/pause/estimate', {
        query: { days: PAUSE_DAYS, subscriptionId: ids },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: untilAmountsAreKnown,
  });
}

/** The subscriptions to pause, whether these are all pausable ones, and the survey's answers. */
interface PauseRequest {
  ids: readonly string[];
  isAll?: boolean;
  answers?: Partial<Record<'reason' | 'satisfactionLevel' | 'dailyUsage', string>>;
}

/**
 * Pauses subscriptions from the end of their terms. All of them are named as well, because another
 * tab may have switched the session to another customer, whose must not be paused.
 */
function pauseSubscriptions(
  { ids, isAll, answers }: PauseRequest,
  offer: OfferingScreen,
  idempotencyKey: string,
): Promise<PauseAnswer> {
  if (isAll) {
    const query = { days: PAUSE_DAYS, offer, subscriptionId: ids };
    return postJson<PauseAnswer>('/api/account/pause', { query, idempotencyKey });
  }
  return postJson<PauseAnswer>('/api/account/subscriptions/multiple-pause', {
    body: { subscriptionId: ids, offer, ...answers },
    idempotencyKey,
  });
}

/**
 * Pauses subscriptions and navigates to the summary. `setFrozen` keeps the screen unchanged until
 * then; after a failure the plans and the dates are refetched.
 */
export function usePause(offer: OfferingScreen, setFrozen: SetFrozen) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { storePlans } = usePlansAfterChange();
  const sendFrozen = (request: PauseRequest, idempotencyKey: string) => {
    setFrozen(true);
    return pauseSubscriptions(request, offer, idempotencyKey);
  };
  return useCommand<PauseAnswer, PauseRequest>(sendFrozen, {
    onSuccess: ({ plans }) => {
      storePlans(plans);
      void navigate(paths.pauseSummary, { state: createReceiptState([NOT_CHARGED], plans) });
    },
    onError: () => {
      setFrozen(false);
      void client.invalidateQueries({ queryKey: PAUSE_ESTIMATES });
    },
  });
}

/** The plans that would be paused between the same two dates. */
export interface PauseSpan {
  pauseDate: string;
  resumeDate: string;
  plans: Plan[];
}

/** Groups the chosen plans by their pause dates, soonest first. */
export function groupPauseSpans(
  chosen: readonly Plan[],
  periods: readonly PausePeriod[],
): PauseSpan[] {
  const spans = new Map<string, PauseSpan>();
  for (const { subId, pauseDate, resumeDate } of periods) {
    const plan = chosen.find((candidate) => candidate.subId === subId);
    if (!plan) continue;
    const days = formatDate(pauseDate) + formatDate(resumeDate);
    const span = spans.get(days) ?? { pauseDate, resumeDate, plans: [] };
    spans.set(days, { ...span, plans: [...span.plans, plan] });
  }
  return [...spans.values()].sort((first, second) =>
    first.pauseDate.localeCompare(second.pauseDate),
  );
}
