import type { Plan } from '@/lib/api/types';
import { useCancelScheduledPause, useKeepSubscription, useUndoChange } from '@/lib/planChanges';
import { Button } from '@/ui/Button';
import { VisuallyHidden } from '@/ui/VisuallyHidden';
import { useTellUndone } from './useTellUndone';

/** Takes the scheduled pause of a subscription back. */
export function CancelPause({ plan }: { plan: Plan }) {
  const removal = useCancelScheduledPause(useTellUndone());
  return (
    <Button variant="secondary" busy={removal.isPending} onClick={() => removal.mutate({ plan })}>
      Cancel pause<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}

/** Takes the scheduled change of a subscription's billing period back. */
export function UndoChange({ plan }: { plan: Plan }) {
  const undoing = useUndoChange(useTellUndone());
  return (
    <Button variant="secondary" busy={undoing.isPending} onClick={() => undoing.mutate({ plan })}>
      Undo change<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}

/** Lets a subscription that is about to end go on. */
export function KeepSubscription({ plan }: { plan: Plan }) {
  const keeping = useKeepSubscription(useTellUndone());
  return (
    <Button variant="secondary" busy={keeping.isPending} onClick={() => keeping.mutate({ plan })}>
      Keep my subscription<VisuallyHidden> to {plan.name}</VisuallyHidden>
    </Button>
  );
}
