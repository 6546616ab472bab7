import { useHasUnbilledCharges, useOverdueIds } from '@/domain/payments/useOverdueAmount';
import { nextSteps } from '@/domain/plans/nextSteps';
import { isLive } from '@/domain/plans/plans';
import styles from '@/features/subscriptions/shared/subscriptions.module.css';
import type { Plan } from '@/lib/api/types';
import { formatDate } from '@/lib/formats';
import { Timeline, type TimelineItem } from '@/ui/display/Timeline';
import { Card } from '@/ui/layout/Card';
import { useFocusIfLost } from '@/ui/lostFocus';
import { UndoButton } from './UndoButton';

/** The upcoming events of all plans, with dates and undo buttons. */
export function UpcomingSteps({ plans }: { plans: readonly Plan[] }) {
  const overdueIds = useOverdueIds();
  const hasUnbilled = useHasUnbilledCharges();
  const items = plans
    .filter(isLive)
    .flatMap((plan) => timelineItems(plan, hasUnbilled || overdueIds.includes(plan.subId)))
    .sort((item, other) => (item.dateTime ?? '~').localeCompare(other.dateTime ?? '~'));
  const heading = useFocusIfLost<HTMLHeadingElement>(items.map(({ key }) => key).join());
  if (items.length === 0) return null;
  return (
    <Card as="section" labelledBy="coming-up" className={styles.panel}>
      <h2 id="coming-up" ref={heading} tabIndex={-1} className={styles.heading}>
        Coming up
      </h2>
      <Timeline label="Coming up" items={items} />
    </Card>
  );
}

/** The undo button is beside a plan's first event. */
function timelineItems(plan: Plan, isOwing: boolean): TimelineItem[] {
  return nextSteps(plan, isOwing).map(({ kind, at, title, detail }, index) => ({
    key: `${plan.subId} ${kind}`,
    title: `${plan.name}: ${title}`,
    detail,
    tone: kind === 'accessEnds' || kind === 'pauseEnds' ? 'warning' : 'primary',
    action: index === 0 ? <UndoButton plan={plan} /> : undefined,
    ...(at && { date: formatDate(at), dateTime: at }),
  }));
}
