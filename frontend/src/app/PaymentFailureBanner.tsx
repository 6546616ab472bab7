import { useQuery } from '@tanstack/react-query';

import { paymentFailureOptions, paymentsOptions } from '@/lib/api/queries';
import type { Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { defaultSource, updateAddress } from '@/lib/paymentSources';
import { Banner } from '@/ui/Banner';
import { ButtonLink } from '@/ui/Button';

/** Says on every screen that a payment failed, until nothing is due. */
export function PaymentFailureBanner() {
  const { data } = useQuery(paymentFailureOptions);
  const isFailing = data?.hasPaymentFailure === true;
  const { data: payments } = useQuery({ ...paymentsOptions, enabled: isFailing });
  if (!isFailing) return null;
  const update = <ButtonLink {...wayOut(payments)}>UPDATE PAYMENT DETAILS</ButtonLink>;
  return (
    <Banner title="Payment Failed" action={update}>
      We couldn't process your payment. Please update your payment details to avoid any
      interruptions to your subscription.
    </Banner>
  );
}

/** Where the default is updated, or one is added where there is none; while that is not known, the list. */
function wayOut(payments: Payments | undefined) {
  if (!payments) return { to: paths.paymentMethods };
  const source = defaultSource(payments);
  return source ? updateAddress(source) : { to: paths.addPaymentMethod };
}
