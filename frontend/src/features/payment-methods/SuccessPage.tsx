import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'react-router-dom';

import { paymentsOptions } from '@/lib/api/queries';
import type { Payments } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { editedIn, kindOf, sourcesOf } from '@/lib/paymentSources';
import { useScreenLoad } from '@/lib/screenLoad';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { AddedMethod } from './AddedMethod';
import { toldIn } from './afterwards';
import { Outcome } from './Outcome';
import styles from './PaymentForm.module.css';
import { useToTheList } from './useEdited';
import { collectedSentences } from './words';

/** After a payment method was added or updated: which one, and what was collected with it. */
export default function SuccessPage() {
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      {payments.data ? (
        <Success payments={payments.data} />
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

function Success({ payments }: { payments: Payments }) {
  const [query] = useSearchParams();
  const { state } = useLocation();
  const { paymentSourceId } = editedIn(query, state);
  const source = sourcesOf(payments).find((one) => one.paymentSourceId === paymentSourceId);
  const said = collectedSentences({ ...toldIn(state), amountDue: payments.amountDue });
  if (!source) return <NothingToTell />;
  const isPayPal = kindOf(source) === 'PAYPAL';
  return (
    <>
      <PageHeading>
        {isPayPal ? 'Successfully Added PayPal Account' : 'Card Information Added'}
      </PageHeading>
      <Card className={styles.card}>
        {said.length > 0 && <Outcome sentences={said} isFailure={payments.amountDue > 0} />}
        <AddedMethod source={source} />
        <ButtonLink to={paths.paymentMethods} block>
          BACK TO MANAGE PAYMENT METHOD
        </ButtonLink>
      </Card>
    </>
  );
}

/** The address names none of one's own, or none any more: the list shows what there is. */
function NothingToTell() {
  const toTheList = useToTheList();
  // biome-ignore lint/correctness/useExhaustiveDependencies: sent once.
  useEffect(() => toTheList('These are your payment methods as they are now.'), []);
  return <PageHeading>Payment Methods</PageHeading>;
}
