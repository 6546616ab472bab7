import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import { contactUrl } from '@/lib/brand';
import { paths } from '@/lib/paths';
import { Button, ButtonAnchor, ButtonLink } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';

interface PaymentFailureDialogProps {
  open: boolean;
  /** In the server's words: that nothing was changed. */
  message: string;
  /** Asks again about the same selection. */
  onRetry: () => void;
  onClose: () => void;
}

/** A payment did not go through: what that means, and the ways to mend it. */
export function PaymentFailureDialog({
  open,
  message,
  onRetry,
  onClose,
}: PaymentFailureDialogProps) {
  const { data: site } = useQuery(siteOptions);
  const help = site ? contactUrl(site.brand) : '';
  const ways = (
    <>
      <Button variant="secondary" onClick={onClose}>
        Not now
      </Button>
      {help && (
        <ButtonAnchor variant="secondary" href={help} newTab>
          Contact Customer Service
        </ButtonAnchor>
      )}
      <ButtonLink variant="secondary" to={paths.paymentMethods}>
        Change payment method
      </ButtonLink>
      <Button onClick={onRetry}>Try again</Button>
    </>
  );
  return (
    <Dialog open={open} title="Payment Failed" footer={ways} onClose={onClose} staticBackdrop>
      <p>{message}</p>
      <p>
        What you have chosen is kept, and your subscriptions are as they were. Your bank can tell
        you why it refused the payment.
      </p>
    </Dialog>
  );
}
