import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'react-router-dom';

import { paymentsOptions } from '@/lib/api/queries';
import { paths } from '@/lib/paths';
import { editedIn } from '@/lib/paymentSources';
import { useScreenLoad } from '@/lib/screenLoad';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { Skeleton } from '@/ui/Skeleton';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import styles from './PaymentForm.module.css';
import { PayPalLink } from './PayPalLink';
import { useEdited } from './useEdited';

/** A new PayPal account, or another one in the place of one that is kept. */
export default function PayPalPage() {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const isUpdate = editedIn(query, state).operationType === 'UPDATE';
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  const edited = useEdited('PAYPAL', payments.data);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading title={isUpdate ? 'Update PayPal' : 'Add PayPal'}>
        {isUpdate ? 'Update Payment Method' : 'Add Payment Method'}
      </PageHeading>
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !edited && <Skeleton height="12rem" radius="box" />}
        {edited && payments.data && (
          <PayPalLink edited={edited} amountDue={payments.data.amountDue} />
        )}
      </Card>
    </Page>
  );
}
