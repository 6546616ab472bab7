import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { paymentsOptions } from '@/lib/api/queries';
import type { Payments, PaymentsChange } from '@/lib/api/types';
import { paths } from '@/lib/paths';
import { defaultSource, sourcesOf } from '@/lib/paymentSources';
import { useScreenLoad } from '@/lib/screenLoad';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { ErrorState } from '@/ui/States';
import { BackLink } from '@/ui/TextLink';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import { AcceptedMarks } from './AcceptedMarks';
import { AmountDue } from './AmountDue';
import type { Order } from './api';
import { DueDialog } from './DueDialog';
import { MethodList } from './MethodList';
import { MethodsSkeleton } from './MethodsSkeleton';
import { NoMethods } from './NoMethods';
import { Outcome } from './Outcome';
import { defaulting, removal } from './orders';
import styles from './PaymentMethodsPage.module.css';
import { usePaymentChange } from './usePaymentChange';
import { changedSentences, sourceName } from './words';

/** What one pays with: the default, and the ways to change, add and remove. */
export default function PaymentMethodsPage() {
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  return (
    <Page>
      <BackLink to={paths.dashboard} />
      <PageHeading lead="Your bills are charged to the one you choose.">
        Payment Methods
      </PageHeading>
      {failure && (
        <Card>
          <ErrorState {...failure} />
        </Card>
      )}
      {!failure && !payments.data && <MethodsSkeleton />}
      {payments.data && <Methods payments={payments.data} />}
      <AcceptedMarks />
    </Page>
  );
}

interface Done {
  sentences: string[];
  isFailure: boolean;
}

/** What was to be charged was not, or not all of it. */
function isDeclined({ operationType }: Order, { amountDue }: PaymentsChange): boolean {
  return operationType !== 'DELETE' && amountDue > 0;
}

function Methods({ payments }: { payments: Payments }) {
  const [done, setDone] = useState<Done | null>(null);
  const sources = sourcesOf(payments);
  const named = (id: string | undefined) =>
    sources.find(({ paymentSourceId }) => paymentSourceId === id);
  const change = usePaymentChange({
    onDone: (answer, order) =>
      setDone({
        sentences: changedSentences(order, named(order.paymentSourceId), answer),
        isFailure: isDeclined(order, answer),
      }),
    onRefused: () => setDone(null),
  });
  const submit = (order: Order) => {
    setDone(null);
    change.submit(order);
  };
  const heading = useFocusIfLost<HTMLHeadingElement>(done);
  const asked = named(change.asked?.order.paymentSourceId);
  return (
    <>
      {done && <Outcome {...done} />}
      <AmountDue
        amountDue={payments.amountDue}
        payer={defaultSource(payments)}
        onPay={(source) => submit(defaulting(source))}
      />
      <Card as="section" labelledBy="methods" className={styles.card}>
        <h2 id="methods" ref={heading} tabIndex={-1}>
          Cards and PayPal accounts
        </h2>
        {sources.length === 0 ? (
          <NoMethods />
        ) : (
          <MethodList
            sources={sources}
            chosenId={change.chosenId ?? defaultSource(payments)?.paymentSourceId}
            onChoose={(source) => submit(defaulting(source))}
            onDelete={(source) => change.command.mutateAsync(removal(source))}
          />
        )}
        <ButtonLink to={paths.addPaymentMethod} block>
          ADD NEW PAYMENT METHOD
        </ButtonLink>
      </Card>
      <DueDialog change={change} name={asked ? sourceName(asked) : 'it'}>
        {asked?.primaryPaymentSource ? '' : 'It becomes your default payment method.'}
      </DueDialog>
    </>
  );
}
