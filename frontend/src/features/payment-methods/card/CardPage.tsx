import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'react-router-dom';
import { AcceptedMarks } from '@/features/payment-methods/shared/AcceptedMarks';
import styles from '@/features/payment-methods/shared/PaymentForm.module.css';
import { useEditedSource } from '@/features/payment-methods/shared/useEditedSource';
import { paymentsOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { Card } from '@/ui/Card';
import { ErrorState } from '@/ui/ErrorState';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonFields } from '@/ui/SkeletonFields';
import { BackLink } from '@/ui/TextLink';
import { CardForm } from './CardForm';

/** Adds a card, or updates the details or the number of a stored one, depending on the path. */
export default function CardPage() {
  const { pathname } = useLocation();
  const isUpdate = pathname.startsWith(paths.updateCard);
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  const edited = useEditedSource('CARD', payments.data, isUpdate ? 'UPDATE' : 'ADD');
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
