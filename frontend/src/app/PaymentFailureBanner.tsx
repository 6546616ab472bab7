import { useQuery } from '@tanstack/react-query';

import { paymentFailureOptions } from '@/lib/api/queries';
import { Banner } from '@/ui/Banner';

/** Says on every screen that a payment failed, until nothing is due. */
export function PaymentFailureBanner() {
  const { data } = useQuery(paymentFailureOptions);
  if (!data?.hasPaymentFailure) return null;
  return (
    <Banner title="Payment Failed">
      We couldn't process your payment. Please update your payment details to avoid any
      interruptions to your subscription.
    </Banner>
  );
}
