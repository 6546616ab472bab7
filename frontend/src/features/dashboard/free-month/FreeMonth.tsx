import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatPlanNames } from '@/domain/plans/plans';
import type { FreeMonthOffer } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { Button } from '@/ui/buttons/Button';
import { GiftIcon } from '@/ui/icons/GiftIcon';
import { Card } from '@/ui/layout/Card';
import { useFocusIfLost } from '@/ui/lostFocus';
import { freeMonthOptions } from './api';
import styles from './FreeMonth.module.css';
import { FreeMonthDialog } from './FreeMonthDialog';
import { FreeMonthBills, FreeMonthDate, FreeMonthTerms } from './FreeMonthTerms';

/**
 * The offer of a free month; nothing if the subscriber is not eligible, or while that is unknown.
 */
export function FreeMonth() {
  const { data: offer } = useQuery(freeMonthOptions);
  // The offer as it was when the dialog opened, so that a refusal can be shown before the offer
  // disappears.
  const [askedOffer, setAskedOffer] = useState<FreeMonthOffer | null>(null);
  const [claimedOffer, setClaimedOffer] = useState<FreeMonthOffer | null>(null);
  const heading = useFocusIfLost<HTMLHeadingElement>(claimedOffer);
  const shownOffer = claimedOffer ?? (offer?.eligible ? offer : askedOffer);
  if (!shownOffer) return null;
  return (
    <Card as="section" labelledBy="free-month" className={styles.card}>
      <div className={styles.head}>
        <GiftIcon />
        <h2 id="free-month" ref={heading} tabIndex={-1}>
          {claimedOffer ? 'Your next month is free' : 'A month on us'}
        </h2>
      </div>
      {claimedOffer ? (
        <FreeMonthClaimed offer={claimedOffer} />
      ) : (
        <FreeMonthTerms offer={shownOffer} />
      )}
      {!claimedOffer && (
        <Button onClick={() => setAskedOffer(shownOffer)}>Claim my free month</Button>
      )}
      <FreeMonthDialog
        offer={shownOffer}
        isOffered={offer?.eligible === true}
        open={askedOffer !== null}
        onClose={() => setAskedOffer(null)}
        onClaimed={(newOffer) => {
          setAskedOffer(null);
          setClaimedOffer(newOffer);
        }}
      />
    </Card>
  );
}

function FreeMonthClaimed({ offer }: { offer: FreeMonthOffer }) {
  const { plans, amountSaved, currencyCode, newNextBillingAt } = offer;
  return (
    <div role="status">
      <p>
        You save <strong>{formatCents(amountSaved, currencyCode)}</strong>
        {plans.length > 0 && <> on {formatPlanNames(plans)}</>}.
        {newNextBillingAt && (
          <>
            {' '}
            You pay again on <FreeMonthDate at={newNextBillingAt} />.
          </>
        )}
      </p>
      <FreeMonthBills offer={offer} />
    </div>
  );
}
