import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { nextSteps } from '@/lib/nextSteps';
import { isLive } from '@/lib/plans';
import { Card } from '@/ui/Card';
import { Timeline, type TimelineItem } from '@/ui/Timeline';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import styles from './subscriptions.module.css';
import { Undo } from './Undo';

/** What happens next with each plan, with its date and the way to take it back. */
export function ComingUp({ plans }: { plans: readonly Plan[] }) {
  const items = plans
    .filter(isLive)
    .flatMap(itemsOf)
    .sort((one, other) => (one.dateTime ?? '~').localeCompare(other.dateTime ?? '~'));
  const heading = useFocusIfLost<HTMLHeadingElement>(items.map(({ key }) => key).join());
  if (items.length === 0) return null;
  return (
    <Card as="section" labelledBy="coming-up" className={styles.panel}>
      <h2 id="coming-up" ref={heading} tabIndex={-1} className={styles.heading}>
        What comes next
      </h2>
      <Timeline label="What comes next" items={items} />
    </Card>
  );
}

/** The undo stands beside the first thing that happens to a plan. */
function itemsOf(plan: Plan): TimelineItem[] {
  return nextSteps(plan).map(({ kind, at, title, detail }, index) => ({
    key: `${plan.subId} ${kind}`,
    title: `${plan.name}: ${title}`,
    detail,
    tone: kind === 'accessEnds' ? 'warning' : 'primary',
    action: index === 0 ? <Undo plan={plan} /> : undefined,
    ...(at && { date: formatDate(at), dateTime: at }),
  }));
}
