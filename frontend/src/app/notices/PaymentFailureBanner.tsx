import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { matchPath, useLocation } from 'react-router-dom';
import { defaultSource, updateAddress } from '@/domain/payments/paymentSources';
import { paymentFailureOptions, paymentsOptions } from '@/lib/api/queries';
import type { PaymentFailure, Payments } from '@/lib/api/types';
import { formatList } from '@/lib/formats';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { Banner } from '@/ui/feedback/Banner';

/** The payment screens, to which the banner leads. They say themselves what is due. */
const PAYING_SCREENS = [
  paths.paymentMethods,
  paths.updateCard,
  paths.payPal,
  paths.addPaymentMethod,
  paths.addCard,
];

/** A banner on all other screens after a failed payment, until nothing is due. */
export function PaymentFailureBanner() {
  const { pathname } = useLocation();
  const { failure, payments, isAwaited } = usePaymentFailure();
  const isPaying = PAYING_SCREENS.some((path) => matchPath(path, pathname));
  if (!failure?.hasPaymentFailure || isAwaited || isPaying) return null;
  const update = <ButtonLink {...paymentUpdateLink(payments)}>UPDATE PAYMENT DETAILS</ButtonLink>;
  return (
    <Banner title="Payment Failed" action={update}>
      {failureSentence(failure)}
    </Banner>
  );
}

/**
 * The failed payment and, only if there is one, the payment methods. `isAwaited` until both are
 * known or could not be read, and no longer during a retry.
 */
export function usePaymentFailure() {
  const failure = useQuery(paymentFailureOptions);
  const isFailing = failure.data?.hasPaymentFailure === true;
  const payments = useQuery({ ...paymentsOptions, enabled: isFailing });
  // Others read the payment methods, too, and nobody waits for that without a failed payment.
  const isAwaited = isFirstRead(failure) || (isFailing && isFirstRead(payments));
  return { failure: failure.data, payments: payments.data, isAwaited };
}

function isFirstRead({ isFetched, fetchStatus }: UseQueryResult): boolean {
  return !isFetched && fetchStatus === 'fetching';
}

/** The sentence of the specification, unless a plan has been interrupted already. */
function failureSentence({ canceledPlans, pausedPlans }: PaymentFailure): string {
  const consequences = [
    ...interruptions(canceledPlans, 'was canceled', 'were canceled'),
    ...interruptions(pausedPlans, 'is paused', 'are paused'),
  ];
  if (consequences.length === 0) {
    return "We couldn't process your payment. Please update your payment details to avoid any interruptions to your subscription.";
  }
  return `We couldn't process your payment, so ${formatList(consequences)}. Please update your payment details to pay what is due.`;
}

function interruptions(plans: readonly string[], one: string, several: string): string[] {
  return plans.length === 0 ? [] : [`${formatList(plans)} ${plans.length === 1 ? one : several}`];
}

/**
 * Links to updating the default payment method, or to adding one if there is none; to the list
 * if the methods could not be read.
 */
function paymentUpdateLink(payments: Payments | undefined) {
  if (!payments) return { to: paths.paymentMethods };
  const source = defaultSource(payments);
  return source ? updateAddress(source) : { to: paths.addPaymentMethod };
}
