import { formatPlanNames } from '@/domain/plans/plans';
import type { Plan } from '@/lib/api/types';
import { formatPrice } from '@/lib/formats';
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

/**
 * A sentence about a price that nobody can start at today. An account that was stored by an older
 * release says nothing about today's price.
 */
function lostPriceSentence(plan: Plan): string[] {
  const { name, amount, amountToday } = plan;
  const price = formatPrice(amount, plan);
  if (amountToday === null) {
    return [`This plan is no longer sold. You can’t get ${name} back at ${price}.`];
  }
  if (!(amountToday > amount)) return [];
  return [
    `You’ll lose your price of ${price}. Starting ${name} again costs ${formatPrice(amountToday, plan)}.`,
  ];
}
