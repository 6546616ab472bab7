import { useQuery } from '@tanstack/react-query';
import { listSources } from '@/domain/payments/paymentSources';
import { type PlanOrder, payForPlansAddress } from '@/domain/plans/planAddresses';
import { formatPlanNames } from '@/domain/plans/plans';
import { paymentsOptions } from '@/lib/api/queries';
import { Button, ButtonLink } from '@/ui/buttons/Button';
import { type Choosable, isCurrentPlan } from './serviceDraft';
import type { ServiceDraft } from './useServiceDraft';

/**
 * Saves the draft; without a payment method to charge for what it adds, a link to add a card, which
 * leads back to the confirmation.
 */
export function SaveButton({ draft, onSave }: { draft: ServiceDraft; onSave: () => void }) {
  const { data: payments } = useQuery(paymentsOptions);
  const added = addedPlans(draft);
  if (payments && listSources(payments).length === 0 && added.length > 0) {
    return (
      <ButtonLink to={payForPlansAddress(additionsOf(draft))} block>
        Add a card and start {formatPlanNames(added)}
      </ButtonLink>
    );
  }
  return (
    <Button onClick={onSave} block>
      SAVE CHANGES
    </Button>
  );
}

function addedPlans({ all, wanted }: ServiceDraft): Choosable[] {
  return all.filter((plan) => !isCurrentPlan(plan) && wanted.includes(plan.id));
}

/** The plans that a draft adds, which an address can keep. */
export function additionsOf(draft: ServiceDraft): PlanOrder {
  return { planIds: addedPlans(draft).map(({ id }) => id), periodUnit: draft.periodUnit };
}
