import { useQuery } from '@tanstack/react-query';

import { invoicesOptions } from '@/lib/api/queries';
import { useScreenLoad } from '@/lib/api/useScreenLoad';
import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { EmptyState } from '@/ui/EmptyState';
import { ErrorState } from '@/ui/ErrorState';
import { ReceiptIcon } from '@/ui/icons/ReceiptIcon';
import { Page } from '@/ui/Page';
import { PageHeading } from '@/ui/PageHeading';
import { SkeletonRows } from '@/ui/SkeletonRows';
import { BackLink } from '@/ui/TextLink';
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
