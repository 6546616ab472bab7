import { useNavigate } from 'react-router-dom';

import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useCancelScheduledPause, useKeepSubscription, useUndoChange } from '@/lib/planChanges';
import { isEnding } from '@/lib/plans';
import { goesOnSentences, toReceipt } from '@/lib/receipts';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

/** Takes back what is scheduled for a plan, if anything is; the summary is then no longer about it. */
export function Undo({ plan }: { plan: Plan }) {
  if (isEnding(plan)) return <Keep plan={plan} />;
  if (plan.hasScheduledChange) return <UndoChange plan={plan} />;
  return plan.hasScheduledPause ? <CancelPause plan={plan} /> : null;
}

function useAfterwards(): (message: string, plans: readonly Plan[]) => void {
  const navigate = useNavigate();
  return (message, plans) => {
    notify(message);
    const state = toReceipt(plans.flatMap(goesOnSentences), plans);
    void navigate(paths.summary, { replace: true, state });
  };
}

function Keep({ plan }: { plan: Plan }) {
  const keeping = useKeepSubscription(useAfterwards());
  return (
    <Button variant="secondary" busy={keeping.isPending} onClick={() => keeping.mutate({ plan })}>
      Keep my subscription<VisuallyHidden> to {plan.name}</VisuallyHidden>
    </Button>
  );
}

function UndoChange({ plan }: { plan: Plan }) {
  const undoing = useUndoChange(useAfterwards());
  return (
    <Button variant="secondary" busy={undoing.isPending} onClick={() => undoing.mutate({ plan })}>
      Undo change<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}

function CancelPause({ plan }: { plan: Plan }) {
  const removal = useCancelScheduledPause(useAfterwards());
  return (
    <Button variant="secondary" busy={removal.isPending} onClick={() => removal.mutate({ plan })}>
      Cancel pause<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}
