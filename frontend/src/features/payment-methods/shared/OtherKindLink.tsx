import { useSearchParams } from 'react-router-dom';
import type { SourceKind } from '@/domain/payments/paymentSources';
import { usePayPalOffered } from '@/domain/payments/usePayPalOffered';
import { payForPlansAddress, readPlanOrder } from '@/domain/plans/planAddresses';
import { TextLink } from '@/ui/navigation/TextLink';
import { usePlansInOrder } from './OrderSummary';

interface OtherKindLinkProps {
  /** The other kind of payment method, which keeps the order. */
  to: SourceKind;
}

/**
 * Leads to the form of the other kind; nothing unless the method is added to start plans. It stands
 * above the fields, so that it is read and reached before they are filled in.
 */
export function OtherKindLink({ to }: OtherKindLinkProps) {
  const [query] = useSearchParams();
  const plans = usePlansInOrder();
  const isPayPalOffered = usePayPalOffered();
  if (plans.length === 0 || !isPayPalOffered) return null;
  const { periodUnit } = readPlanOrder(query);
  const order = { planIds: plans.map(({ id }) => id), periodUnit };
  return (
    <TextLink to={payForPlansAddress(order, to)}>
      {to === 'PAYPAL' ? 'Pay with PayPal instead' : 'Pay with a card instead'}
    </TextLink>
  );
}
