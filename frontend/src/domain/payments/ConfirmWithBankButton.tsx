import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router-dom';
import { paymentsOptions } from '@/lib/api/queries';
import { Button } from '@/ui/buttons/Button';
import type { DeclinedCharge } from './declinedCharge';
import { bankPaymentAddress, defaultSource, sourceKind } from './paymentSources';

/** Leads to the bank of the default card; nothing if the default method is no card. */
export function ConfirmWithBankButton({ charge }: { charge: DeclinedCharge }) {
  const { data: payments } = useQuery(paymentsOptions);
  const navigate = useNavigate();
  const payer = payments && defaultSource(payments);
  if (!payer || sourceKind(payer) !== 'CARD') return null;
  const { to } = bankPaymentAddress(payer);
  return (
    <Button variant="secondary" onClick={() => navigate(to, { state: { declinedCharge: charge } })}>
      Confirm with your bank
    </Button>
  );
}
