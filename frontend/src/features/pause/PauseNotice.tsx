import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { namesOf } from '@/lib/plans';
import { Day } from '@/ui/Day';
import { InfoAlert } from '@/ui/InfoAlert';

interface PauseNoticeProps {
  plans: readonly Plan[];
  onDismiss: () => void;
}

interface Start {
  pauseDate: string;
  plans: Plan[];
}

/** The scheduled pauses by the day they start. */
function startsOf(plans: readonly Plan[]): Start[] {
  const starts = new Map<string, Start>();
  for (const plan of plans) {
    if (!plan.hasScheduledPause || !plan.pauseDate) continue;
    const day = formatDate(plan.pauseDate);
    const start = starts.get(day) ?? { pauseDate: plan.pauseDate, plans: [] };
    starts.set(day, { ...start, plans: [...start.plans, plan] });
  }
  return [...starts.values()];
}

/** Says when the pause takes effect and that it can be taken back; nothing where none is scheduled. */
export function PauseNotice({ plans, onDismiss }: PauseNoticeProps) {
  const starts = startsOf(plans);
  if (starts.length === 0) return null;
  return (
    <InfoAlert onDismiss={onDismiss}>
      {starts.map(({ pauseDate, plans: paused }) => (
        <p key={pauseDate}>
          {starts.length === 1 ? 'Your pause' : `Your pause of ${namesOf(paused)}`} takes effect at
          the end of your billing cycle on <Day dateTime={pauseDate}>{formatDate(pauseDate)}</Day>.
        </p>
      ))}
      <p>
        Nothing was charged today, and nothing is while it is paused. Billing goes on when it
        resumes.
      </p>
      <p>You can cancel the scheduled pause any time before then to resume your subscription.</p>
    </InfoAlert>
  );
}
