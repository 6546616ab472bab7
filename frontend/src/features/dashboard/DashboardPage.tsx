import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';

import { accountOptions, managePlansOptions } from '@/lib/api/queries';
import type { Account, ManagePlans, Plan } from '@/lib/api/types';
import { nextSentence } from '@/lib/nextSteps';
import { isLive } from '@/lib/plans';
import { useScreenLoad } from '@/lib/screenLoad';
import { Card } from '@/ui/Card';
import { classNames } from '@/ui/classNames';
import { Dated } from '@/ui/Dated';
import { CalendarIcon } from '@/ui/icons/CalendarIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { ErrorState } from '@/ui/States';
import { ActivityPanel } from './ActivityPanel';
import { Costs } from './Costs';
import styles from './DashboardPage.module.css';
import { DashboardSkeleton } from './DashboardSkeleton';
import { EndedSubscriptions } from './EndedSubscriptions';
import { FreeMonth } from './FreeMonth';
import { LatestInvoices } from './LatestInvoices';
import { NoSubscriptions } from './NoSubscriptions';
import { PaymentMethod } from './PaymentMethod';
import { Receipt } from './Receipt';
import { Subscriptions } from './Subscriptions';
import { UndoLinked } from './UndoLinked';
import { Ways } from './Ways';

/** The account home: what one has, what happens next with it, what it costs, and the ways on. */
export default function DashboardPage() {
  const account = useQuery(accountOptions);
  const plans = useQuery(managePlansOptions);
  const failure = useScreenLoad(account, plans);
  const ready = !failure && account.data && plans.data;
  return (
    <Page width="wide">
      <PageHeading
        title="Your account"
        lead={ready && <WhatComesNext plans={account.data.plans} />}
      >
        {account.data?.name ? `Hello, ${account.data.name}` : 'Your account'}
      </PageHeading>
      {failure && (
        <Card>
          <ErrorState {...failure} />
        </Card>
      )}
      {!failure && !ready && <DashboardSkeleton />}
      {ready && <Receipt plans={account.data.plans} />}
      {ready && <Home account={account.data} costs={plans.data} />}
      {ready && <UndoLinked account={account.data} />}
    </Page>
  );
}

/** The next day on which anything happens, before everything else. */
function WhatComesNext({ plans }: { plans: readonly Plan[] }) {
  const sentence = nextSentence(plans);
  if (!sentence) return null;
  return (
    <span className={styles.next}>
      <CalendarIcon />
      <span>
        <Dated>{sentence}</Dated>
      </span>
    </span>
  );
}

function Home({ account, costs }: { account: Account; costs: ManagePlans }) {
  const held = account.plans.filter(isLive);
  const ended = account.plans.filter((plan) => !isLive(plan));
  // What stands below is drawn next, in slices: what is in sight does not wait for it, nor does what is pressed then.
  const below = useDeferredValue(true, false);
  return (
    <div aria-busy={!below} className={classNames(styles.home, !below && styles.begun)}>
      <div className={styles.column}>
        {held.length > 0 ? <Subscriptions plans={held} /> : <NoSubscriptions ended={ended} />}
        {ended.length > 0 && <EndedSubscriptions plans={ended} offered={costs.plans} />}
        {below && <WaysAndActivity held={held} />}
      </div>
      <div className={classNames(styles.column, held.length > 0 && styles.beside)}>
        {held.length > 0 && <Costs plans={held} costs={costs} />}
        {below && <PaymentsAndOffer held={held} />}
      </div>
    </div>
  );
}

function WaysAndActivity({ held }: { held: readonly Plan[] }) {
  return (
    <>
      <div className={styles.ways}>
        <Ways plans={held} />
      </div>
      <div className={styles.activity}>
        <ActivityPanel />
      </div>
    </>
  );
}

function PaymentsAndOffer({ held }: { held: readonly Plan[] }) {
  return (
    <>
      <PaymentMethod />
      <div className={styles.invoices}>
        <LatestInvoices />
      </div>
      {/* It is there or not once the provider has been asked: nothing in sight may move for it. */}
      <div className={styles.offer}>{held.length > 0 && <FreeMonth />}</div>
    </>
  );
}
