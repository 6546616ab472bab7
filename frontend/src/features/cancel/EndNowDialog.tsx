import { formatPlanNames, lostPriceSentence } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { endsAtOncePhrase } from './endingMessages';

interface EndNowDialogProps {
  open: boolean;
  /** The plans that are paused or have not started, which end at once. */
  plans: readonly Plan[];
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before plans end at once, because that cannot be undone. */
export function EndNowDialog({ open, plans, onConfirm, onCancel }: EndNowDialogProps) {
  const names = formatPlanNames(plans);
  const lostPrices = plans.flatMap(lostPriceSentence);
  return (
    <ConfirmModal
      open={open}
      title={`End ${names} now?`}
      message={<p>{endsAtOncePhrase(plans)} immediately. You can’t undo this.</p>}
      warningContent={lostPrices.length > 0 ? lostPrices.join(' ') : undefined}
      confirmBtnText={`Yes, end ${names} now`}
      onConfirm={onConfirm}
      onCancel={onCancel}
    />
  );
}
