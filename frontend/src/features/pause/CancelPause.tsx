import { useNavigate } from 'react-router-dom';

import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { useCancelScheduledPause } from '@/lib/planChanges';
import { goesOnSentences, toReceipt } from '@/lib/receipts';
import { notify } from '@/stores/snackbar';
import { Button } from '@/ui/Button';
import { VisuallyHidden } from '@/ui/VisuallyHidden';

/** Takes a scheduled pause back, says so and goes to the account home. */
export function CancelPause({ plan }: { plan: Plan }) {
  const navigate = useNavigate();
  const removal = useCancelScheduledPause((message, plans) => {
    notify(message);
    void navigate(paths.dashboard, { state: toReceipt(plans.flatMap(goesOnSentences), plans) });
  });
  return (
    <Button variant="link" busy={removal.isPending} onClick={() => removal.mutate({ plan })}>
      Cancel Pause
      <VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}
