import { useQuery } from '@tanstack/react-query';

import { invoicesOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { ErrorState } from '@/ui/feedback/ErrorState';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { Card } from '@/ui/layout/Card';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';
import { SkeletonRows } from '@/ui/loading/SkeletonRows';
import { BackLink } from '@/ui/navigation/TextLink';
import { YearlyInvoices } from './YearlyInvoices';

/** All invoices, newest first, each with a PDF to download. A mail can link to one of them. */
export default function BillingHistoryPage() {
  const invoices = useQuery(invoicesOptions);
  const failure = useScreenLoad(invoices);
  const none = invoices.data?.length === 0;
  return (
    <Page width="wide">
      <BackLink to={paths.dashboard} />
      <PageHeading
        lead={!none && 'To view and print individual invoices, click on the "INVOICE NUMBER"'}
      >
        Billing History
      </PageHeading>
      <Card>
        {failure && <ErrorState {...failure} />}
        {!failure && !invoices.data && <SkeletonRows rows={6} />}
        {invoices.data && (none ? <NoInvoices /> : <YearlyInvoices invoices={invoices.data} />)}
      </Card>
    </Page>
  );
}

function NoInvoices() {
  return (
    <EmptyState
      icon={<ReceiptIcon />}
      action={<ButtonLink to={paths.manageSubscription}>See plans and prices</ButtonLink>}
    >
      Your billing history is currently empty. You haven't made any purchases yet. Start exploring
      our streaming plans!
    </EmptyState>
  );
}
