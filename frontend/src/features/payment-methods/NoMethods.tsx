import { CardIcon } from '@/ui/icons/CardIcon';
import { EmptyState } from '@/ui/States';

/** Nothing to pay with is kept; the way on stands below. */
export function NoMethods() {
  return (
    <EmptyState icon={<CardIcon />} title="No payment method yet">
      The cards and PayPal accounts that you add will be listed here. You need one to start a
      subscription.
    </EmptyState>
  );
}
