import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';
import { listSources, readEditTarget, sourceKind } from '@/domain/payments/paymentSources';
import { confirmPlansAddress, readPlanOrder } from '@/domain/plans/planAddresses';
import { formatPlanNames } from '@/domain/plans/plans';
import { ChangeOutcome } from '@/features/payment-methods/shared/ChangeOutcome';
import { collectionMessages } from '@/features/payment-methods/shared/messages';
import { usePlansInOrder } from '@/features/payment-methods/shared/OrderSummary';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { readChargeResult } from '@/features/payment-methods/shared/successNavigation';
import { useReturnToList } from '@/features/payment-methods/shared/useEditedSource';
import { paymentsOptions } from '@/lib/api/queries';
import type { PaymentSource, Payments } from '@/lib/api/types';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { BackLink } from '@/ui/navigation/TextLink';
import { AddedMethod } from './AddedMethod';

/** Shown after a payment method was added or updated, with the amount collected. */
export default function PaymentMethodAddedPage() {
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      {payments.data ? (
        <AddedContent payments={payments.data} />
      ) : (
        <>
          <PageHeading>Payment Methods</PageHeading>
          <Card className={styles.card}>
            {failure ? <ErrorState {...failure} /> : <SkeletonRows rows={4} />}
          </Card>
        </>
      )}
    </Page>
  );
}

function AddedContent({ payments }: { payments: Payments }) {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const ordered = usePlansInOrder();
  const { paymentSourceId } = readEditTarget(query, state);
  const source = listSources(payments).find(
    (candidate) => candidate.paymentSourceId === paymentSourceId,
  );
  const charge = readChargeResult(state);
  const messages = collectionMessages({
    ...(charge ?? { collected: 0, wasTried: false }),
    amountDue: payments.amountDue,
    currencyCode: payments.currencyCode,
  });
  if (!source) return <RedirectToList />;
  const isPayPal = sourceKind(source) === 'PAYPAL';
  const isDeclined = charge?.wasTried === true && payments.amountDue > 0;
  return (
    <>
      {/* The URL alone, typed by hand, claims nothing. */}
      <PageHeading>{charge ? addedHeading(source) : 'Your Payment Method'}</PageHeading>
      <Card className={styles.card}>
        {messages.length > 0 && (
          <ChangeOutcome
            sentences={messages}
            isFailure={payments.amountDue > 0}
            declinedCard={isDeclined && !isPayPal ? source : undefined}
          />
        )}
        <AddedMethod source={source} />
        <div className={styles.actions}>
          {ordered.length > 0 && (
            <ButtonLink
              to={confirmPlansAddress({
                planIds: ordered.map(({ id }) => id),
                periodUnit: readPlanOrder(query).periodUnit,
              })}
              block
            >
              Continue to start {formatPlanNames(ordered)}
            </ButtonLink>
          )}
          <ButtonLink
            variant={ordered.length > 0 ? 'secondary' : 'primary'}
            to={paths.paymentMethods}
            block
          >
            BACK TO MANAGE PAYMENT METHOD
          </ButtonLink>
        </div>
      </Card>
    </>
  );
}

function addedHeading(source: PaymentSource): string {
  return sourceKind(source) === 'PAYPAL'
    ? 'Successfully Added PayPal Account'
    : 'Card Information Added';
}

/** Redirects to the list if the URL names no payment method of this account. */
function RedirectToList() {
  const returnToList = useReturnToList();
  // biome-ignore lint/correctness/useExhaustiveDependencies: redirects once.
  useEffect(() => returnToList('Here are your payment methods.'), []);
  return <PageHeading>Payment Methods</PageHeading>;
}
