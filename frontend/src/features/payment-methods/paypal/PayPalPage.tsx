import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';
import { readEditTarget } from '@/domain/payments/paymentSources';
import { OrderSummary } from '@/features/payment-methods/shared/OrderSummary';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { useEditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { paymentsOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { Skeleton } from '@/ui/loading/Skeleton';
import { BackLink } from '@/ui/navigation/TextLink';
import { PayPalLink } from './PayPalLink';

/** Adds a PayPal account, or replaces a stored one. */
export default function PayPalPage() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const isUpdate = readEditTarget(query, state).operationType === 'UPDATE';
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  const edited = useEditedSource('PAYPAL', payments.data);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading title={isUpdate ? 'Update PayPal' : 'Add PayPal'}>
        {isUpdate ? 'Update Payment Method' : 'Add Payment Method'}
      </PageHeading>
      <Columns aside={<OrderSummary otherKind="CARD" />}>
        <Card className={styles.card}>
          {failure && <ErrorState {...failure} />}
          {!failure && !edited && <Skeleton height="12rem" radius="box" />}
          {edited && payments.data && (
            <PayPalLink edited={edited} amountDue={payments.data.amountDue} />
          )}
        </Card>
      </Columns>
    </Page>
  );
}
