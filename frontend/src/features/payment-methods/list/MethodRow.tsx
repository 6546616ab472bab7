import { useId } from 'react';
import { CardBrandMark } from '@/domain/payments/CardBrandMark';
import { otherDetail, sourceName } from '@/domain/payments/methodNames';
import { markProps, sourceKind, updateAddress } from '@/domain/payments/paymentSources';
import { expiryLabel, NOT_DELETABLE, ownerName } from '@/features/payment-methods/shared/messages';
import type { PaymentSource } from '@/lib/api/types';
import { showSnackbar } from '@/stores/snackbar';
import { IconButton, IconLink } from '@/ui/buttons/IconButton';
import type { Tone } from '@/ui/display/StatusPill';
import { StatusPill } from '@/ui/display/StatusPill';
import { EditIcon } from '@/ui/icons/EditIcon';
import { TrashIcon } from '@/ui/icons/TrashIcon';
import styles from './MethodRow.module.css';

const STATUSES: Partial<Record<string, { label: string; tone: Tone }>> = {
  EXPIRING: { label: 'Expires soon', tone: 'warning' },
  EXPIRED: { label: 'Expired', tone: 'danger' },
  INVALID: { label: 'Can’t be charged', tone: 'danger' },
  PENDING_VERIFICATION: { label: 'Being verified', tone: 'neutral' },
};

/** The problem with a payment method, if any. */
function methodStatus({ status }: Pick<PaymentSource, 'status'>) {
  return STATUSES[status ?? ''] ?? null;
}

interface MethodRowProps {
  source: PaymentSource;
  /** The shared name of the list's radio buttons. */
  group: string;
  isChosen: boolean;
  onChoose: () => void;
  onDelete: () => void;
}

/** A payment method with controls to make it the default, edit it and delete it. */
export function MethodRow({ source, group, isChosen, onChoose, onDelete }: MethodRowProps) {
  const id = useId();
  const name = sourceName(source);
  const { deletable } = source;
  const kind = sourceKind(source);
  return (
    <li className={styles.row}>
      <input
        id={id}
        type="radio"
        name={group}
        checked={isChosen}
        aria-describedby={`${id}-details`}
        className={styles.radio}
        onChange={onChoose}
      />
      <label htmlFor={id} className={styles.label}>
        <CardBrandMark {...markProps(source)} decorative />
        <span className={styles.name}>{kind === 'CARD' ? name : source.typeName}</span>
      </label>
      <MethodDetails id={`${id}-details`} source={source} />
      <div className={styles.actions}>
        <IconLink
          {...updateAddress(source)}
          label={`${kind === 'OTHER' ? 'Replace' : 'Edit'} ${name}`}
          icon={<EditIcon />}
        />
        <IconButton
          label={`Delete ${name}`}
          icon={<TrashIcon />}
          unavailableBecause={deletable ? undefined : `${id}-kept`}
          onClick={deletable ? onDelete : () => showSnackbar(NOT_DELETABLE, 'warning')}
        />
      </div>
      <div className={styles.notes}>
        {kind === 'OTHER' && (
          <p>
            {source.typeName} can’t be edited here. To replace it, add another method and make that
            your default.
          </p>
        )}
        {!deletable && <p id={`${id}-kept`}>{NOT_DELETABLE}</p>}
      </div>
    </li>
  );
}

/** Owner, expiry and status. */
function MethodDetails({ id, source }: { id: string; source: PaymentSource }) {
  const status = methodStatus(source);
  const detail = sourceKind(source) === 'OTHER' ? otherDetail(source) : null;
  const facts = [detail, ownerName(source), source.email, expiryLabel(source)].filter(Boolean);
  return (
    <div id={id} className={styles.details}>
      {source.primaryPaymentSource && <StatusPill tone="info">Default</StatusPill>}
      {status && <StatusPill tone={status.tone}>{status.label}</StatusPill>}
      {facts.map((fact) => (
        <span key={fact}>{fact} </span>
      ))}
    </div>
  );
}
