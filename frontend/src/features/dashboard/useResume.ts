import { useQueryClient } from '@tanstack/react-query';

import type { Plan, PlansAnswer, ResumeEstimate } from '@/lib/api/types';
import { useCommand } from '@/lib/command';
import { hasCode } from '@/lib/errors';
import { usePlansAfterChange } from '@/lib/planChanges';
import { resume, resumeEstimateOptions } from './api';

/** The figures that a refusal brings along; null where it brings none. */
function figuresIn(body: unknown): ResumeEstimate | null {
  const { resumeDate, amountDue, quote } = (body ?? {}) as Partial<ResumeEstimate>;
  if (resumeDate === undefined || amountDue === undefined || quote === undefined) return null;
  return { resumeDate, amountDue, quote };
}

/**
 * Resumes a plan now for the quoted amount. Where the amount has changed meanwhile, the estimate
 * takes the new figures, and nothing is done until they are confirmed.
 */
export function useResume(plan: Plan, onResumed: (plans: readonly Plan[]) => void) {
  const client = useQueryClient();
  const { taken, stale } = usePlansAfterChange();
  const { queryKey } = resumeEstimateOptions(plan.subId);

  const takeFigures = (body: unknown) => {
    const figures = figuresIn(body);
    if (figures) client.setQueryData(queryKey, figures);
    else void client.invalidateQueries({ queryKey });
  };

  return useCommand<PlansAnswer, { subId: string; quote: string }>(resume, {
    onSuccess: ({ plans }) => {
      taken(plans);
      onResumed(plans.filter(({ subId }) => subId === plan.subId));
    },
    onError: (error) => {
      if (hasCode(error, 'quote_changed')) takeFigures(error.body);
      else stale();
    },
  });
}
