import { useQueryClient } from '@tanstack/react-query';
import { usePlansAfterChange } from '@/domain/changes/usePlansAfterChange';
import { hasCode } from '@/lib/api/errors';
import type { Plan, PlansAnswer, ResumeEstimate } from '@/lib/api/types';
import { useCommand } from '@/lib/api/useCommand';
import { resumeEstimateOptions, resumeSubscription } from './api';

/** The figures in an error response; null if it has none. */
function figuresFromRefusal(body: unknown): ResumeEstimate | null {
  const {
    resumeDate,
    amountDue,
    charges,
    currencyCode,
    quote,
    nextBills = [],
  } = (body ?? {}) as Partial<ResumeEstimate>;
  if (resumeDate === undefined || amountDue === undefined || charges === undefined) return null;
  if (currencyCode === undefined || quote === undefined) return null;
  return { resumeDate, amountDue, charges, currencyCode, quote, nextBills };
}

/**
 * Resumes a plan now for the quoted amount. If the amount has changed, the estimate gets the new
 * figures, and the subscriber has to confirm them.
 */
export function useResume(plan: Plan, onResumed: (plans: readonly Plan[]) => void) {
  const client = useQueryClient();
  const { storePlans } = usePlansAfterChange();
  const { queryKey } = resumeEstimateOptions(plan.subId);

  const storeFigures = (body: unknown) => {
    const figures = figuresFromRefusal(body);
    if (figures) client.setQueryData(queryKey, figures);
    else void client.invalidateQueries({ queryKey });
  };

  return useCommand<PlansAnswer, { subId: string; quote: string }>(resumeSubscription, {
    onSuccess: ({ plans }) => {
      storePlans(plans);
      onResumed(plans.filter(({ subId }) => subId === plan.subId));
    },
    onError: (error) => {
      if (hasCode(error, 'quote_changed')) storeFigures(error.body);
    },
  });
}
