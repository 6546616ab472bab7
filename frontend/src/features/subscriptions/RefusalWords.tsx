import { hasCode, messageOf } from '@/lib/errors';
import { paths } from '@/lib/paths';
import { TextLink } from '@/ui/TextLink';

/** Why a change cannot be made, and the way on where a payment method is all that is missing. */
export function RefusalWords({ error }: { error: Error | null }) {
  return (
    <>
      {messageOf(error)}
      {hasCode(error, 'payment_method_required') && (
        <p>
          <TextLink to={paths.addPaymentMethod}>Add a payment method</TextLink>
        </p>
      )}
    </>
  );
}
