import { isEnding, isPaused, onlyCancelableSentence } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './PauseObstacles.module.css';

/** Why each of these plans cannot be paused now. */
export function PauseObstacles({ plans }: { plans: readonly Plan[] }) {
  if (plans.length === 0) return null;
  return (
    <ul aria-label="Can’t be paused right now" className={styles.obstacles}>
      {plans.map((plan) => (
        <li key={plan.subId}>
          <UnbrokenDates>{pauseObstacle(plan)}</UnbrokenDates>
        </li>
      ))}
    </ul>
  );
}

/** A sentence about why a plan cannot be paused now. */
function pauseObstacle(plan: Plan): string {
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
    const ending = cancelAt ? `${name} ends on ${formatDate(cancelAt)}` : `${name} is about to end`;
    return plan.isChangeable ? `${ending}. To pause it, keep it first.` : `${ending}.`;
  }
  if (!plan.isChangeable) return onlyCancelableSentence(plan);
  if (plan.hasScheduledChange) return `${name} has a plan change scheduled.`;
  return plan.startsAt ? `${name} hasn’t started yet.` : `${name} is still in its trial.`;
}
