import { type PlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';
import { errorMessage, hasCode } from '@/lib/api/errors';
import { paths } from '@/lib/paths';
import { TextLink } from '@/ui/navigation/TextLink';

interface RefusalMessageProps {
  error: Error | null;
  message?: string;
  /** The plans that the change adds, which the link keeps. */
  order?: PlanOrder;
}

const NO_PLANS: PlanOrder = { planIds: [], periodUnit: null };

/** Why a change was refused, with a link to add a payment method if only that is missing. */
export function RefusalMessage({
  error,
  message = errorMessage(error),
  order = NO_PLANS,
}: RefusalMessageProps) {
  return (
    <>
      <p>{message}</p>
      {hasCode(error, 'payment_method_required') && (
        <p>
          <TextLink to={withPlanOrder(paths.addPaymentMethod, order)}>
            Add a payment method
          </TextLink>
        </p>
      )}
    </>
  );
}
