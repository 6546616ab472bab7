import type { Plan } from '@/lib/api/types';
import { Button } from '@/ui/buttons/Button';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';
import {
  type OnUndone,
  useCancelScheduledPause,
  useKeepSubscription,
  useUndoScheduledChange,
} from './undoScheduled';

interface UndoButtonProps {
  plan: Plan;
  onUndone: OnUndone;
}

/** Cancels the scheduled pause of a subscription. */
export function CancelPauseButton({ plan, onUndone }: UndoButtonProps) {
  const removal = useCancelScheduledPause(onUndone);
  return (
    <Button variant="secondary" busy={removal.isPending} onClick={() => removal.mutate({ plan })}>
      Undo pause<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}

/** Cancels the scheduled change of a subscription's billing period. */
export function UndoChangeButton({ plan, onUndone }: UndoButtonProps) {
  const undo = useUndoScheduledChange(onUndone);
  return (
    <Button variant="secondary" busy={undo.isPending} onClick={() => undo.mutate({ plan })}>
      Undo change<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}

/** Withdraws the cancellation of a subscription that has not ended yet. */
export function KeepSubscriptionButton({ plan, onUndone }: UndoButtonProps) {
  const withdrawal = useKeepSubscription(onUndone);
  return (
    <Button
      variant="secondary"
      busy={withdrawal.isPending}
      onClick={() => withdrawal.mutate({ plan })}
    >
      Keep my subscription<VisuallyHidden> to {plan.name}</VisuallyHidden>
    </Button>
  );
}
