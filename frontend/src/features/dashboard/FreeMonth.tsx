import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { FreeMonthOffer } from '@/lib/api/types';
import { formatCents } from '@/lib/formats';
import { namesOf } from '@/lib/plans';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { GiftIcon } from '@/ui/icons/GiftIcon';
import { useFocusIfLost } from '@/ui/useFocusIfLost';
import styles from './FreeMonth.module.css';
import { FreeMonthDialog } from './FreeMonthDialog';
import { Day, Terms } from './FreeMonthTerms';
import { freeMonthOptions } from './freeMonth';

/** A free month, where one may have it; nothing anywhere else, nor while that is not known. */
export function FreeMonth() {
  const { data: offer } = useQuery(freeMonthOptions);
  // As it was when it was asked for: whoever is refused then is told so before it goes.
  const [asked, setAsked] = useState<FreeMonthOffer | null>(null);
  const [claimed, setClaimed] = useState<FreeMonthOffer | null>(null);
  const heading = useFocusIfLost<HTMLHeadingElement>(claimed);
  const shown = claimed ?? (offer?.eligible ? offer : asked);
  if (!shown) return null;
  return (
    <Card as="section" labelledBy="free-month" className={styles.card}>
      <div className={styles.head}>
        <GiftIcon />
        <h2 id="free-month" ref={heading} tabIndex={-1}>
          {claimed ? 'Your next month is free' : 'A month on us'}
        </h2>
      </div>
      {claimed ? <Claimed offer={claimed} /> : <Terms offer={shown} />}
      {!claimed && <Button onClick={() => setAsked(shown)}>Claim my free month</Button>}
      <FreeMonthDialog
        offer={shown}
        isOffered={offer?.eligible === true}
        open={asked !== null}
        onClose={() => setAsked(null)}
        onClaimed={(done) => {
          setAsked(null);
          setClaimed(done);
        }}
      />
    </Card>
  );
}

function Claimed({ offer: { plans, amountSaved, newNextBillingAt } }: { offer: FreeMonthOffer }) {
  return (
    <p role="status">
      Done: the next month{plans.length > 0 && <> of {namesOf(plans)}</>} is free, and you save{' '}
      <strong>{formatCents(amountSaved)}</strong>.
      {newNextBillingAt && (
        <>
          {' '}
          You pay for it again on <Day at={newNextBillingAt} />.
        </>
      )}
    </p>
  );
}
