import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';
import { readEditTarget } from '@/domain/payments/paymentSources';
import { usePayPalOffered } from '@/domain/payments/usePayPalOffered';
import { payForPlansAddress, readPlanOrder } from '@/domain/plans/planAddresses';
import { OrderSummary } from '@/features/payment-methods/shared/OrderSummary';
import { OtherKindLink } from '@/features/payment-methods/shared/OtherKindLink';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { useEditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { managePlansOptions, paymentsOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { CardIcon } from '@/ui/icons/CardIcon';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { Skeleton } from '@/ui/loading/Skeleton';
import { BackLink } from '@/ui/navigation/TextLink';
import { PayPalLink } from './PayPalLink';

/** Shown on a site that does not take PayPal, or no longer: the banner leads here, too. */
function NotOffered() {
  const [query] = useSearchParams();
  return (
    <EmptyState
      icon={<CardIcon />}
      title="We don’t take PayPal here"
      action={<ButtonLink to={payForPlansAddress(readPlanOrder(query))}>Add a card</ButtonLink>}
    >
      Please pay with a card.
    </EmptyState>
  );
}

/** Adds a PayPal account, or replaces a stored one. */
export default function PayPalPage() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const isUpdate = readEditTarget(query, state).operationType === 'UPDATE';
  const payments = useQuery(paymentsOptions);
  // Show the order; without an answer, the button comes without it.
  const isOrder = !isUpdate && readPlanOrder(query).planIds.length > 0;
  const plans = useQuery({ ...managePlansOptions, enabled: isOrder });
  const failure = useScreenLoad(payments);
  const edited = useEditedSource('PAYPAL', payments.data);
  const isReady = edited !== null && !(isOrder && plans.isPending);
  const isOffered = usePayPalOffered();
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading title={isUpdate ? 'Update PayPal' : 'Add PayPal'}>
        {isUpdate ? 'Update Payment Method' : 'Add Payment Method'}
      </PageHeading>
      <Columns asideFirst={isOrder} aside={<OrderSummary />}>
        <Card className={styles.card}>
          {!isOffered && <NotOffered />}
          {isOffered && failure && <ErrorState {...failure} />}
          {isOffered && !failure && !isReady && <Skeleton height="12rem" radius="box" />}
          {isOffered && isReady && edited && payments.data && (
            <>
              <OtherKindLink to="CARD" />
              <PayPalLink edited={edited} amountDue={payments.data.amountDue} />
            </>
          )}
        </Card>
      </Columns>
    </Page>
  );
}
