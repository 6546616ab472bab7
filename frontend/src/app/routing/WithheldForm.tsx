import { paths } from '@/lib/paths';
import { ButtonLink } from '@/ui/buttons/Button';
import { EmptyState } from '@/ui/feedback/EmptyState';
import { CardIcon } from '@/ui/icons/CardIcon';
import { Page } from '@/ui/layout/Page';
import { PageHeading } from '@/ui/layout/PageHeading';

/** What an operator who sees an account has in place of the forms for cards and PayPal. */
export default function WithheldForm() {
  return (
    <Page>
      <PageHeading>Payment form</PageHeading>
      <EmptyState
        icon={<CardIcon />}
        title="Not part of this view"
        action={<ButtonLink to={paths.paymentMethods}>Back to payment methods</ButtonLink>}
      >
        The subscriber enters a card or continues to PayPal here. The form isn’t loaded while you
        see their screens.
      </EmptyState>
    </Page>
  );
}
