import { errorMessage, hasCode } from '@/lib/api/errors';
import { paths } from '@/lib/paths';
import { TextLink } from '@/ui/navigation/TextLink';

interface RefusalMessageProps {
  error: Error | null;
  message?: string;
}

/** Why a change was refused, with a link to add a payment method if only that is missing. */
export function RefusalMessage({ error, message = errorMessage(error) }: RefusalMessageProps) {
  return (
    <>
      <p>{message}</p>
      {hasCode(error, 'payment_method_required') && (
        <p>
          <TextLink to={paths.addPaymentMethod}>Add a payment method</TextLink>
        </p>
      )}
    </>
  );
}
