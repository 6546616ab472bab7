import type { Plan } from '@/lib/api/types';
import { useCancelScheduledPause } from '@/lib/planChanges';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

/** Takes the scheduled pause of a subscription back. */
export function CancelPause({ plan }: { plan: Plan }) {
  const removal = useCancelScheduledPause(notify);
  return (
    <Button
      variant="secondary"
      busy={removal.isPending}
      onClick={() => removal.mutate({ subId: plan.subId })}
    >
      Cancel pause<VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}
