import { isEnding } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { Button } from '@/ui/buttons/Button';
import { focusHeading } from '@/ui/focusHeading';
import {
  type OnUndone,
  useCancelScheduledPause,
  useKeepSubscription,
  useUndoScheduledChange,
} from './undoScheduled';

interface UndoAllButtonProps {
  /** The plans for which one press has scheduled the same. */
  plans: readonly Plan[];
  onUndone: OnUndone;
}

/** Undoes what one press has scheduled for several plans; nothing if less than two are left. */
export function UndoAllButton({ plans, onUndone }: UndoAllButtonProps) {
  const report: OnUndone = (message, undone) => {
    // The button goes; what was done is said at the top of the screen.
    focusHeading();
    onUndone(message, undone);
  };
  const keep = useKeepSubscription(report);
  const undoChange = useUndoScheduledChange(report);
  const removePause = useCancelScheduledPause(report);
  const options = [
    { command: keep, scheduled: plans.filter(isEnding) },
    { command: undoChange, scheduled: plans.filter(hasScheduledChange) },
    { command: removePause, scheduled: plans.filter(({ hasScheduledPause }) => hasScheduledPause) },
  ];
  const found = options.find(({ scheduled }) => scheduled.length > 1);
  const [plan, ...others] = found?.scheduled ?? [];
  if (!found || !plan) return null;
  return (
    <Button
      variant="secondary"
      busy={found.command.isPending}
      onClick={() => found.command.mutate({ plan, others })}
      block
    >
      Undo all
    </Button>
  );
}

/** A change that is set aside by a cancellation comes back with it. */
function hasScheduledChange(plan: Plan): boolean {
  return plan.hasScheduledChange && !isEnding(plan);
}
