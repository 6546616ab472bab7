import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';
import { isBankPayment } from '@/domain/payments/paymentSources';
import { readPlanOrder } from '@/domain/plans/planAddresses';
import { AcceptedMarks } from '@/features/payment-methods/shared/AcceptedMarks';
import { OrderSummary } from '@/features/payment-methods/shared/OrderSummary';
import { OtherKindLink } from '@/features/payment-methods/shared/OtherKindLink';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { useEditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { accountOptions, managePlansOptions, paymentsOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { Card } from '@/ui/layout/Card';
import { Columns } from '@/ui/layout/Columns';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { SkeletonFields } from '@/ui/loading/SkeletonFields';
import { BackLink } from '@/ui/navigation/TextLink';
import { BankPayment } from './BankPayment';
import { CardForm } from './CardForm';

/**
 * Adds a card, or updates the details or the number of a stored one, depending on the path; or pays
 * the amount due with a stored one, depending on the query.
 */
export default function CardPage() {
  const { pathname } = useLocation();
  const [query] = useSearchParams();
  const isUpdate = pathname.startsWith(paths.updateCard);
  const isPayment = isUpdate && isBankPayment(query);
  const payments = useQuery(paymentsOptions);
  // Fill in the name and show the order; without an answer, the form opens without them.
  const isOrder = !isUpdate && readPlanOrder(query).planIds.length > 0;
  const account = useQuery({ ...accountOptions, enabled: !isUpdate });
  const plans = useQuery({ ...managePlansOptions, enabled: isOrder });
  const failure = useScreenLoad(payments);
  const edited = useEditedSource('CARD', payments.data, isUpdate ? 'UPDATE' : 'ADD');
  const isNamed = isUpdate || !account.isPending;
  const isReady = edited !== null && isNamed && !(isOrder && plans.isPending);
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading>
        {isPayment ? 'Confirm Payment' : isUpdate ? 'Update Card' : 'Add Card'}
      </PageHeading>
      <Columns
        asideFirst={isOrder}
        aside={
          <>
            <OrderSummary />
            <AcceptedMarks />
          </>
        }
      >
        <Card className={styles.card}>
          {failure && <ErrorState {...failure} />}
          {!failure && !isReady && <SkeletonFields fields={4} />}
          {isPayment && edited?.source && payments.data && (
            <BankPayment
              key={edited.source.paymentSourceId}
              source={edited.source}
              {...payments.data}
            />
          )}
          {!isPayment && isReady && edited && payments.data && (
            <>
              <OtherKindLink to="PAYPAL" />
              <CardForm
                key={edited.source?.paymentSourceId}
                edited={edited}
                newOwner={account.data?.name ?? ''}
                {...payments.data}
              />
            </>
          )}
        </Card>
      </Columns>
    </Page>
  );
}
