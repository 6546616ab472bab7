import { useCancelScheduledPause } from '@/domain/changes/undoScheduled';
import { useReportUndone } from '@/domain/changes/useReportUndone';
import type { Plan } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/buttons/Button';
import { VisuallyHidden } from '@/ui/text/VisuallyHidden';

/** Removes a scheduled pause and navigates to the dashboard with a receipt. */
export function CancelPauseLink({ plan }: { plan: Plan }) {
  const onUndone = useReportUndone(paths.dashboard, { replace: false });
  const removal = useCancelScheduledPause(onUndone);
  return (
    <Button variant="link" busy={removal.isPending} onClick={() => removal.mutate({ plan })}>
      Cancel Pause
      <VisuallyHidden> of {plan.name}</VisuallyHidden>
    </Button>
  );
}
