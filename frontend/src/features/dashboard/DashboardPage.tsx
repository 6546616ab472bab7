import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { nextStepSentence } from '@/domain/plans/nextSteps';
import { isLive } from '@/domain/plans/plans';
import { FreeMonth } from '@/features/dashboard/free-month/FreeMonth';
import { NextBillCard } from '@/features/dashboard/next-bill/NextBillCard';
import { OtherCustomers } from '@/features/dashboard/other-customers/OtherCustomers';
import { ActivityPanel } from '@/features/dashboard/panels/ActivityPanel';
import { CostsPanel } from '@/features/dashboard/panels/CostsPanel';
import { InvoicesPanel } from '@/features/dashboard/panels/InvoicesPanel';
import { LinksPanel } from '@/features/dashboard/panels/LinksPanel';
import { PaymentMethodPanel } from '@/features/dashboard/panels/PaymentMethodPanel';
import { PastDue } from '@/features/dashboard/past-due/PastDue';
import { EndedSubscriptions } from '@/features/dashboard/subscriptions/EndedSubscriptions';
import { NoSubscriptions } from '@/features/dashboard/subscriptions/NoSubscriptions';
import { Subscriptions } from '@/features/dashboard/subscriptions/Subscriptions';
import { UndoFromLink } from '@/features/dashboard/undo/UndoFromLink';
import { accountOptions, managePlansOptions } from '@/lib/api/queries';
import type { Account, ManagePlans } from '@/lib/api/types';
import { useIsOutdated } from '@/lib/api/useIsOutdated';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { classNames } from '@/ui/classNames';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { UnbrokenDates } from '@/ui/text/UnbrokenDates';
import styles from './DashboardPage.module.css';
import { DashboardSkeleton } from './DashboardSkeleton';
import { ReceiptNotice } from './ReceiptNotice';

/**
 * The dashboard: the subscriptions, what comes next, what they cost, and links to the other
 * screens.
 */
export default function DashboardPage() {
  const account = useQuery(accountOptions);
  const plans = useQuery(managePlansOptions);
  const hasOldBills = useIsOutdated(account, accountOptions.queryKey);
  const hasOldCosts = useIsOutdated(plans, managePlansOptions.queryKey);
  const failure = useScreenLoad(account, plans);
  const isLoaded = !failure && account.data && plans.data;
  // A response renders at once and uninterruptibly. That draws the skeleton again; the content
  // follows in a render that yields to input.
  const isDue = useDeferredValue(Boolean(isLoaded));
  const isReady = isDue && isLoaded;
  const nextStep = isReady && nextStepSentence(account.data.plans);
  return (
    <Page width="wide">
      <PageHeading title="Your account" lead={nextStep && <NextStep sentence={nextStep} />}>
        {account.data?.name ? `Hello, ${firstName(account.data.name)}` : 'Your account'}
      </PageHeading>
      {failure && (
        <Card>
          <ErrorState {...failure} />
        </Card>
      )}
      {!failure && !isReady && <DashboardSkeleton />}
      {isReady && <ReceiptNotice plans={account.data.plans} />}
      {isReady && <PastDue plans={account.data.plans} />}
      {isReady && account.data.plans.some(isLive) && (
        <NextBillCard
          bills={account.data.nextBills}
          isOutdated={hasOldBills}
          plans={account.data.plans}
          creditBalance={account.data.creditBalance}
          creditCurrency={account.data.creditCurrency}
        />
      )}
      {isReady && (
        <DashboardContent account={account.data} costs={plans.data} hasOldCosts={hasOldCosts} />
      )}
      {isReady && <UndoFromLink account={account.data} />}
    </Page>
  );
}

function firstName(name: string): string {
  return name.split(' ')[0] ?? name;
}

/** The next upcoming event, at the top of the screen. */
function NextStep({ sentence }: { sentence: string }) {
  return (
    <span className={styles.next}>
      <CalendarIcon />
      <span>
        <UnbrokenDates>{sentence}</UnbrokenDates>
      </span>
    </span>
  );
}

interface DashboardContentProps {
  account: Account;
  costs: ManagePlans;
  hasOldCosts: boolean;
}

function DashboardContent({ account, costs, hasOldCosts }: DashboardContentProps) {
  const held = account.plans.filter(isLive);
  const ended = account.plans.filter((plan) => !isLive(plan));
  // The lower part renders afterwards and interruptibly, so that it delays neither what is in view
  // nor user input.
  const isLowerPartDrawn = useDeferredValue(true, false);
  return (
    <div
      aria-busy={!isLowerPartDrawn}
      className={classNames(styles.home, !isLowerPartDrawn && styles.partial)}
    >
      <div className={styles.top}>
        {held.length > 0 ? (
          <Subscriptions plans={held} />
        ) : (
          <NoSubscriptions ended={ended} offered={costs.plans} />
        )}
        {ended.length > 0 && <EndedSubscriptions plans={ended} offered={costs.plans} />}
        <OtherCustomers />
      </div>
      <div className={classNames(styles.side, held.length > 0 && styles.beside)}>
        {held.length > 0 && <CostsPanel plans={held} costs={costs} isOutdated={hasOldCosts} />}
        {isLowerPartDrawn && (
          <PaymentsAndOffer canHaveOffer={held.length > 0 && !account.hasPaymentFailure} />
        )}
      </div>
      {isLowerPartDrawn && (
        <div className={styles.bottom}>
          <LinksPanel plans={held} />
          <ActivityPanel />
        </div>
      )}
    </div>
  );
}

/** There are no offers while a payment is overdue. */
function PaymentsAndOffer({ canHaveOffer }: { canHaveOffer: boolean }) {
  return (
    <>
      <PaymentMethodPanel />
      <InvoicesPanel />
      {/*
       * It appears only after a request to the provider, so it is placed where it moves nothing in view.
       */}
      {canHaveOffer && <FreeMonth />}
    </>
  );
}
