import { useQuery } from '@tanstack/react-query';
import { defaultSource, updateAddress } from '@/domain/payments/paymentSources';
import { paymentFailureOptions, paymentsOptions } from '@/lib/api/queries';
import type { Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { Banner } from '@/ui/Banner';
import { ButtonLink } from '@/ui/Button';

/** A banner on every screen after a failed payment, until nothing is due. */
export function PaymentFailureBanner() {
  const { data } = useQuery(paymentFailureOptions);
  const isFailing = data?.hasPaymentFailure === true;
  const { data: payments } = useQuery({ ...paymentsOptions, enabled: isFailing });
  if (!isFailing) return null;
  const update = <ButtonLink {...paymentUpdateLink(payments)}>UPDATE PAYMENT DETAILS</ButtonLink>;
  return (
    <Banner title="Payment Failed" action={update}>
      We couldn't process your payment. Please update your payment details to avoid any
      interruptions to your subscription.
    </Banner>
  );
}

/**
 * Links to updating the default payment method, or to adding one if there is none; to the list
 * while that is unknown.
 */
function paymentUpdateLink(payments: Payments | undefined) {
  if (!payments) return { to: paths.paymentMethods };
  const source = defaultSource(payments);
  return source ? updateAddress(source) : { to: paths.addPaymentMethod };
}
