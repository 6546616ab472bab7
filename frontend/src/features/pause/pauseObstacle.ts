import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { isEnding, isPaused } from '@/lib/plans';

/** Why a plan cannot be paused now, in a sentence. */
export function pauseObstacle(plan: Plan): string {
  const { name, pauseDate, resumeDate, cancelAt } = plan;
  if (isPaused(plan)) {
    return resumeDate
      ? `${name} is already paused and resumes automatically on ${formatDate(resumeDate)}.`
      : `${name} is already paused.`;
  }
  if (plan.hasScheduledPause) {
    return pauseDate
      ? `${name} already has a pause that takes effect on ${formatDate(pauseDate)}.`
      : `${name} already has a scheduled pause.`;
  }
  if (isEnding(plan)) {
    return cancelAt ? `${name} ends on ${formatDate(cancelAt)}.` : `${name} is about to end.`;
  }
  if (plan.hasScheduledChange) return `${name} has a change of plan scheduled.`;
  return `${name} is still in its trial.`;
}
