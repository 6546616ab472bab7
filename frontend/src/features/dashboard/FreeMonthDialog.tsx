import { useQuery } from '@tanstack/react-query';

import { siteOptions } from '@/lib/api/queries';
import type { FreeMonthOffer } from '@/lib/api/types';
import { CONFIRMING_MESSAGE, hasCode, isUnconfirmed, messageOf } from '@/lib/errors';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/ConfirmModal';
import { InfoAlert } from '@/ui/InfoAlert';
import { LegalLinks } from '@/ui/LegalLinks';
import { Terms } from './FreeMonthTerms';
import { useClaim } from './freeMonth';

interface FreeMonthDialogProps {
  offer: FreeMonthOffer;
  /** Whether it still is what one may have. */
  isOffered: boolean;
  open: boolean;
  onClose: () => void;
  onClaimed: (claimed: FreeMonthOffer) => void;
}

/** Asks before the free month is claimed, since it can be had once in twelve months. */
export function FreeMonthDialog(props: FreeMonthDialogProps) {
  const { offer, isOffered, open, onClose, onClaimed } = props;
  const { data: site } = useQuery(siteOptions);
  const note = useLoader(({ message }) => message);
  const claim = useClaim(onClaimed);
  const close = () => {
    claim.reset();
    onClose();
  };
  return (
    <ConfirmModal
      open={open}
      title="Claim your free month?"
      confirmBtnText="YES, CLAIM MY FREE MONTH"
      // What is still being confirmed can be asked about again.
      confirmDisabled={!isOffered && !isUnconfirmed(claim.error)}
      busy={claim.isPending}
      busyNote={note}
      onConfirm={() => claim.mutate({ quote: offer.quote })}
      onCancel={close}
    >
      {claim.isError && <Refusal error={claim.error} />}
      <Terms offer={offer} />
      <p>Nothing is charged today. You can have one free month in twelve months.</p>
      {site && <LegalLinks termsUrl={site.brand.termsUrl} privacyUrl={site.brand.privacyUrl} />}
    </ConfirmModal>
  );
}

function Refusal({ error }: { error: Error }) {
  if (isUnconfirmed(error)) return <InfoAlert>{CONFIRMING_MESSAGE}</InfoAlert>;
  const isNews = hasCode(error, 'quote_changed');
  return <InfoAlert tone={isNews ? 'info' : 'error'}>{messageOf(error)}</InfoAlert>;
}
