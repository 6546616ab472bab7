import { ChangeFailure } from '@/domain/changes/ChangeFailure';
import { AgreementLinks } from '@/domain/payments/AgreementLinks';
import { isFinal } from '@/lib/api/errors';
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
  const { error } = claimCommand;
  // It may have been made although its answer was lost, and then is not offered any more.
  const canRepeat = error !== null && !isFinal(error);
  const close = () => {
    claimCommand.reset();
    onClose();
  };
  return (
    <ConfirmModal
      open={open}
      title="Claim your free month?"
      confirmBtnText="YES, CLAIM MY FREE MONTH"
      confirmDisabled={!isOffered && !canRepeat}
      busy={claimCommand.isPending}
      busyNote={loaderNote}
      onConfirm={() => claimCommand.mutate({ quote: offer.quote })}
      onCancel={close}
    >
      {error && <ChangeFailure error={error} />}
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
