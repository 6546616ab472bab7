import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { sourceName } from '@/domain/payments/methodNames';
import { defaultSource, listSources } from '@/domain/payments/paymentSources';
import { usePayPalOffered } from '@/domain/payments/usePayPalOffered';
import { readPlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';
import { AcceptedMarks } from '@/features/payment-methods/shared/AcceptedMarks';
import type { ChangeRequest } from '@/features/payment-methods/shared/api';
import { ChangeOutcome } from '@/features/payment-methods/shared/ChangeOutcome';
import { DueDialog } from '@/features/payment-methods/shared/DueDialog';
import { changeMessages } from '@/features/payment-methods/shared/messages';
import { usePaymentChange } from '@/features/payment-methods/shared/usePaymentChange';
import { paymentsOptions } from '@/lib/api/queries';
import type { PaymentSource, Payments, PaymentsChange } from '@/lib/api/types';
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
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { useFocusIfLost } from '@/ui/lostFocus';
import { BackLink } from '@/ui/navigation/TextLink';
import { AmountDue } from './AmountDue';
import { requestDefault, requestRemoval } from './changeRequests';
import { MethodList } from './MethodList';
import styles from './PaymentMethodsPage.module.css';

/** The list of payment methods, with actions to change the default, add, edit and delete. */
export default function PaymentMethodsPage() {
  const payments = useQuery(paymentsOptions);
  const failure = useScreenLoad(payments);
  const hasNone = payments.data !== undefined && listSources(payments.data).length === 0;
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading lead={hasNone ? 'We charge the one you add.' : 'We charge your default method.'}>
        Payment Methods
      </PageHeading>
      <Columns aside={<AcceptedMarks />}>
        {failure && (
          <Card>
            <ErrorState {...failure} />
          </Card>
        )}
        {!failure && !payments.data && <MethodsSkeleton />}
        {payments.data && <MethodsContent payments={payments.data} />}
      </Columns>
    </Page>
  );
}

interface ChangeResult {
  sentences: string[];
  isFailure: boolean;
  declinedCard: PaymentSource | undefined;
}

/** Whether the amount due was not charged, or only in part. */
function isDeclined({ operationType }: ChangeRequest, { amountDue }: PaymentsChange): boolean {
  return operationType !== 'DELETE' && amountDue > 0;
}

function MethodsContent({ payments }: { payments: Payments }) {
  const [result, setResult] = useState<ChangeResult | null>(null);
  const sources = listSources(payments);
  const findSource = (id: string | undefined) =>
    sources.find(({ paymentSourceId }) => paymentSourceId === id);
  const change = usePaymentChange({
    onDone: (answer, request) => {
      const source = findSource(request.paymentSourceId);
      const isFailure = isDeclined(request, answer);
      const isCard = request.paymentsource === 'CARD';
      setResult({
        sentences: changeMessages(request, source, answer),
        isFailure,
        declinedCard: isFailure && isCard ? source : undefined,
      });
    },
    onRefused: () => setResult(null),
  });
  const submit = (request: ChangeRequest) => {
    setResult(null);
    change.submit(request);
  };
  // A removed row takes the focus along, before or after the result is there.
  const shownIds = sources.map(({ paymentSourceId }) => paymentSourceId);
  const heading = useFocusIfLost<HTMLHeadingElement>(
    [...shownIds, ...(result?.sentences ?? [])].join('\n'),
  );
  const askedSource = findSource(change.question?.request.paymentSourceId);
  return (
    <>
      {result && <ChangeOutcome {...result} />}
      {change.command.error && !change.isAsking && <ChangeFailure error={change.command.error} />}
      <AmountDue
        amountDue={payments.amountDue}
        currencyCode={payments.currencyCode}
        payer={defaultSource(payments)}
        onPay={(source) => submit(requestDefault(source))}
      />
      <Card as="section" labelledBy="methods" className={styles.card}>
        <h2 id="methods" ref={heading} tabIndex={-1}>
          Your payment methods
        </h2>
        {sources.length === 0 ? (
          <NoMethods />
        ) : (
          <>
            <MethodList
              sources={sources}
              chosenId={change.chosenId ?? defaultSource(payments)?.paymentSourceId}
              onChoose={(source) => submit(requestDefault(source))}
              onDelete={(source) => change.command.mutateAsync(requestRemoval(source))}
            />
            <AddLink block />
          </>
        )}
      </Card>
      <DueDialog change={change} name={askedSource ? sourceName(askedSource) : 'it'}>
        {askedSource?.primaryPaymentSource ? '' : 'It becomes your default payment method.'}
      </DueDialog>
    </>
  );
}

/** The placeholder for the list. */
function MethodsSkeleton() {
  return (
    <Card className={styles.card}>
      <Skeleton width="60%" height="2rem" />
      <SkeletonRows rows={2} />
      <Skeleton height="2.75rem" radius="pill" />
    </Card>
  );
}

/** The empty state of the list. */
function NoMethods() {
  const kinds = usePayPalOffered() ? 'a card or PayPal account' : 'a card';
  return (
    <EmptyState icon={<CardIcon />} title="No payment method yet" action={<AddLink />}>
      {`Add ${kinds} to start a subscription.`}
    </EmptyState>
  );
}

/** Keeps the plans to add, if the address names any. */
function AddLink({ block }: { block?: boolean }) {
  const [query] = useSearchParams();
  return (
    <ButtonLink to={withPlanOrder(paths.addPaymentMethod, readPlanOrder(query))} block={block}>
      ADD NEW PAYMENT METHOD
    </ButtonLink>
  );
}
