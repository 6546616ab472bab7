import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { isUnconfirmed } from '@/lib/api/errors';
import type { FreeMonthOffer } from '@/lib/api/types';
import { useLoader } from '@/stores/loader';
import { ConfirmModal } from '@/ui/dialogs/ConfirmModal';
import { InfoAlert } from '@/ui/feedback/InfoAlert';
import { useClaimFreeMonth } from './api';
import { FreeMonthBills, FreeMonthTerms } from './FreeMonthTerms';

interface FreeMonthDialogProps {
  offer: FreeMonthOffer;
  /** Whether the subscriber is still eligible. */
  isOffered: boolean;
  open: boolean;
  onClose: () => void;
  onClaimed: (claimed: FreeMonthOffer) => void;
}

/** Asks for confirmation, because a free month can be claimed only once in twelve months. */
export function FreeMonthDialog(props: FreeMonthDialogProps) {
  const { offer, isOffered, open, onClose, onClaimed } = props;
  const loaderNote = useLoader(({ message }) => message);
  const claimCommand = useClaimFreeMonth(onClaimed);
  const close = () => {
    claimCommand.reset();
    onClose();
  };
  return (
    <ConfirmModal
      open={open}
      title="Claim your free month?"
      confirmBtnText="YES, CLAIM MY FREE MONTH"
      // An unconfirmed claim can be sent again.
      confirmDisabled={!isOffered && !isUnconfirmed(claimCommand.error)}
      busy={claimCommand.isPending}
      busyNote={loaderNote}
      onConfirm={() => claimCommand.mutate({ quote: offer.quote })}
      onCancel={close}
    >
      {claimCommand.isError && <ChangeFailure error={claimCommand.error} />}
      {open && !isOffered && claimCommand.isIdle && (
        <InfoAlert>This offer is no longer available.</InfoAlert>
      )}
      <FreeMonthTerms offer={offer} />
      <p>You won’t be charged today. You can claim one free month every 12 months.</p>
      <FreeMonthBills offer={offer} />
      <AgreementLinks />
    </ConfirmModal>
  );
}
