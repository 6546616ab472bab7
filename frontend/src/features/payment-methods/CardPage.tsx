import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';

import { paymentsOptions } from '@/lib/api/queries';
import { paths } from '@/lib/paths';
import { useScreenLoad } from '@/lib/screenLoad';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonFields } from '@/ui/SkeletonFields';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { AcceptedMarks } from './AcceptedMarks';
import { CardForm } from './CardForm';
import styles from './PaymentForm.module.css';
import { useEdited } from './useEdited';

/** A new card, or other details or another number for one that is kept: the path says which. */
export default function CardPage() {
  const { pathname } = useLocation();
  const isUpdate = pathname.startsWith(paths.updateCard);
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  const edited = useEdited('CARD', payments.data, isUpdate ? 'UPDATE' : 'ADD');
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading>{isUpdate ? 'Update Card' : 'Add Card'}</PageHeading>
      <Card className={styles.card}>
        {failure && <ErrorState {...failure} />}
        {!failure && !edited && <SkeletonFields fields={4} />}
        {edited && payments.data && (
          <CardForm
            key={edited.source?.paymentSourceId}
            edited={edited}
            amountDue={payments.data.amountDue}
          />
        )}
      </Card>
      <AcceptedMarks />
    </Page>
  );
}
