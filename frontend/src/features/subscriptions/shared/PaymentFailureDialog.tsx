import { useQuery } from '@tanstack/react-query';
import { ConfirmWithBankButton } from '@/domain/payments/ConfirmWithBankButton';
import type { DeclinedCharge } from '@/domain/payments/declinedCharge';
import { type PlanOrder, withPlanOrder } from '@/domain/plans/planAddresses';
import { siteOptions } from '@/lib/api/queries';
import { contactUrl } from '@/lib/brand';
import { paths } from '@/lib/paths';
import { Button, ButtonAnchor, ButtonLink } from '@/ui/buttons/Button';
import { Dialog } from '@/ui/dialogs/Dialog';

interface PaymentFailureDialogProps {
  open: boolean;
  /** The server's message that nothing was changed. */
  message: string;
  /** What the card's bank may accept after asking the payer; null if nothing was charged. */
  declinedCharge: DeclinedCharge | null;
  /** The plans to add, which the address keeps on the way over adding a card. */
  order: PlanOrder;
  /** Reopens the confirmation of the same selection. */
  onRetry: () => void;
  onClose: () => void;
}

/** The dialog about a failed payment, with the ways to fix it. */
export function PaymentFailureDialog({
  open,
  message,
  declinedCharge,
  order,
  onRetry,
  onClose,
}: PaymentFailureDialogProps) {
  const { data: site } = useQuery(siteOptions);
  const help = site ? contactUrl(site.brand) : '';
  const buttons = (
    <>
      <Button variant="secondary" onClick={onClose}>
        Not now
      </Button>
      {help && (
        <ButtonAnchor variant="secondary" href={help} newTab>
          Contact Customer Service
        </ButtonAnchor>
      )}
      {declinedCharge && <ConfirmWithBankButton charge={declinedCharge} />}
      <ButtonLink variant="secondary" to={withPlanOrder(paths.paymentMethods, order)}>
        Change payment method
      </ButtonLink>
      <Button onClick={onRetry}>Try again</Button>
    </>
  );
  return (
    <Dialog open={open} title="Payment Failed" footer={buttons} onClose={onClose} staticBackdrop>
      <p>{message}</p>
      <p>
        Your selection is saved, and your subscriptions haven’t changed. Your bank can tell you why
        it declined the payment.
      </p>
    </Dialog>
  );
}
